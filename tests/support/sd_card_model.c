#include "sd_card_model.h"

#include <string.h>

enum { IDLE, READY, IDENT, STANDBY, TRANSFER, DATA };

#define ST_OUT_OF_RANGE (1u << 31)
#define ST_ADDRESS (1u << 30)
#define ST_ERROR (1u << 19)
#define ST_ECC (1u << 21)
#define ST_COM_CRC (1u << 23)
#define ST_ILLEGAL (1u << 22)

/* ---- checksums, bit by bit --------------------------------------------- */

static unsigned crc7_bits(const uint8_t *bytes, unsigned count)
{
    unsigned crc = 0;
    for (unsigned i = 0; i < count * 8; i++) {
        unsigned feedback = (crc >> 6 ^ bytes[i / 8] >> (7 - i % 8)) & 1;
        crc = (crc << 1 & 0x7f) ^ (feedback ? 9 : 0);
    }
    return crc;
}

static unsigned crc16_step(unsigned crc, unsigned bit)
{
    unsigned feedback = (crc >> 15 ^ bit) & 1;
    return (crc << 1 & 0xffff) ^ (feedback ? 0x1021 : 0);
}

static unsigned crc16_one_lane(const uint8_t *bytes, uint32_t count)
{
    unsigned crc = 0;
    for (uint32_t i = 0; i < count * 8; i++)
        crc = crc16_step(crc, bytes[i / 8] >> (7 - i % 8) & 1u);
    return crc;
}

/* Lane n carries bit n of each nibble. */
static void crc16_four_lanes(const uint8_t *bytes, uint32_t count, uint8_t out[8])
{
    unsigned crc[4] = {0};
    for (uint32_t i = 0; i < count * 2; i++) {
        unsigned nibble = i % 2 ? bytes[i / 2] & 15u : bytes[i / 2] >> 4;
        for (unsigned lane = 0; lane < 4; lane++)
            crc[lane] = crc16_step(crc[lane], nibble >> lane & 1u);
    }
    memset(out, 0, 8);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned lane = 0; lane < 4; lane++)
            out[i / 2] |= (uint8_t)((crc[lane] >> (15 - i) & 1u) << lane << (i % 2 ? 0 : 4));
}

/* ---- registers --------------------------------------------------------- */

static void set_bits(uint8_t *reg, unsigned reg_bytes, unsigned high, unsigned low, uint32_t value)
{
    for (unsigned i = low; i <= high; i++, value >>= 1) {
        uint8_t mask = (uint8_t)(1u << i % 8);
        uint8_t *byte = &reg[reg_bytes - 1 - i / 8];
        *byte = (uint8_t)(value & 1 ? *byte | mask : *byte & ~mask);
    }
}

static void apply(const model_patch *patch, uint8_t *reg)
{
    reg[patch->at] = (uint8_t)((reg[patch->at] & ~patch->mask) | (patch->value & patch->mask));
}

static void make_cid(const sd_card_model *m, uint8_t reg[16])
{
    static const uint8_t maker[9] = {3, 'S', 'D', 'M', 'O', 'D', 'E', 'L', 0x12};
    memcpy(reg, maker, sizeof maker);
    set_bits(reg, 16, 55, 24, m->serial);
    set_bits(reg, 16, 23, 8, 0x01a5); /* May 2026 */
    reg[15] = (uint8_t)(crc7_bits(reg, 15) << 1 | 1);
}

static void make_csd(const sd_card_model *m, uint8_t reg[16])
{
    memset(reg, 0, 16);
    set_bits(reg, 16, 103, 96, 0x32);
    set_bits(reg, 16, 95, 84, m->high_speed ? 0x5b5 : 0x1b5);
    if (m->kind == JC_SD_SDSC) { /* READ_BL_LEN 10, C_SIZE_MULT 7: units of 512 KiB */
        set_bits(reg, 16, 83, 80, 10);
        set_bits(reg, 16, 49, 47, 7);
        set_bits(reg, 16, 73, 62, m->sectors / 1024 - 1);
    } else {
        set_bits(reg, 16, 127, 126, 1);
        set_bits(reg, 16, 83, 80, 9);
        set_bits(reg, 16, 69, 48, m->sectors / 1024 - 1);
    }
    apply(&m->csd, reg);
    reg[15] = (uint8_t)(crc7_bits(reg, 15) << 1 | 1);
}

void sd_card_model_sector(const sd_card_model *m, uint32_t lba, uint8_t bytes[512])
{
    uint32_t x = lba * 2654435761u ^ m->serial;
    for (unsigned i = 0; i < 512; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(x >> 24);
    }
}

/* ---- the card ---------------------------------------------------------- */

void sd_card_model_power_cycle(sd_card_model *m)
{
    m->state = IDLE;
    m->spi_mode = m->spi_only;
    m->app = m->switched = m->card_is_wide = m->starting = false;
    m->rca = m->pending_status = 0;
    m->sending = 0;
    m->busy_until_us = m->now_us;
    m->receiving = false;
    m->in_count = m->out_count = m->out_next = 0;
}

void sd_card_model_begin(sd_card_model *m, jc_sd_kind kind)
{
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->version2 = kind != JC_SD_SDSC;
    m->high_speed = kind != JC_SD_SDSC;
    m->inserted = true;
    m->start_us = 20000;
    m->access_us = 200;
    m->serial = 0x12345678;
    m->sectors = kind == JC_SD_SDSC ? 1u << 20 : kind == JC_SD_SDHC ? 1u << 24 : 1u << 28;
    sd_card_model_power_cycle(m);
}

static bool fault_due(sd_card_model *m, unsigned index)
{
    model_fault_plan *plan = &m->fault;
    if (plan->kind == FAULT_NONE || plan->index != index || plan->count == 0)
        return false;
    if (plan->kind == FAULT_REPORT && index == 12 && m->state != DATA)
        return false; /* there is nothing to report on */
    if (plan->skip > 0) {
        plan->skip--;
        return false;
    }
    return true;
}

static void start_sending(sd_card_model *m, unsigned index)
{
    m->sending = index;
    m->block_number = 0;
    m->stalled = false;
    m->data_at_us = m->now_us + (index == 17 || index == 18 ? m->access_us : 20);
}

/* The next block on the wire; false when there is none (any more). */
static bool make_block(sd_card_model *m)
{
    m->block_bytes = 512;
    switch (m->sending) {
    case 17:
    case 18:
        if (m->wire_lba >= m->sectors || (m->sending == 17 && m->block_number > 0))
            return false;
        sd_card_model_sector(m, m->wire_lba++, m->block);
        break;
    case 51:
        m->block_bytes = 8;
        memcpy(m->block, "\x02\x35\x80\x00\x00\x00\x00\x00", 8);
        apply(&m->scr, m->block);
        break;
    case 13:
        m->block_bytes = 64;
        memset(m->block, 0, 64);
        m->block[8] = 4;     /* class 10 */
        m->block[14] = 0x30; /* U3 */
        m->block[15] = 30;   /* V30 */
        m->block[21] = 1;    /* A1 */
        break;
    case 6:
        m->block_bytes = 64;
        memset(m->block, 0, 64);
        m->block[13] = m->high_speed ? 3 : 1;
        m->block[16] = m->high_speed ? 1 : 0;
        break;
    default:
        return false;
    }
    if (m->sending != 18 && m->block_number > 0)
        return false;
    return true;
}

static void answer32(sd_card_model *m, unsigned index, uint32_t content)
{
    m->answer[0] = (uint8_t)index;
    for (unsigned i = 0; i < 4; i++)
        m->answer[1 + i] = (uint8_t)(content >> (24 - 8 * i));
    m->answer[5] = (uint8_t)(crc7_bits(m->answer, 5) << 1 | 1);
    m->answer_bytes = 6;
    m->answer_none = false;
}

static void answer_reg(sd_card_model *m, void (*make)(const sd_card_model *, uint8_t *))
{
    m->answer[0] = 0x3f;
    make(m, m->answer + 1);
    m->answer_bytes = 17;
    m->answer_none = false;
}

static void refuse(sd_card_model *m)
{
    m->pending_status |= ST_ILLEGAL;
    m->answer_none = true;
}

static uint32_t status(sd_card_model *m, bool app)
{
    uint32_t value = m->pending_status | (uint32_t)m->state << 9 | 1u << 8 | (app ? 1u << 5 : 0);
    m->pending_status = 0;
    return value;
}

static void op_cond(sd_card_model *m, uint32_t argument)
{
    if (m->not_sd || (m->state != IDLE && m->state != READY)) {
        refuse(m);
        return;
    }
    if (!m->starting) {
        m->starting = true;
        m->start_began_us = m->now_us;
    }
    bool hcs = (argument >> 30 & 1) != 0;
    bool ready = !m->never_ready && m->now_us - m->start_began_us >= m->start_us &&
                 (m->kind == JC_SD_SDSC || hcs);
    if (ready)
        m->state = READY;
    uint32_t ocr = m->low_voltage ? 0x00000080u : 0x00ff8000u;
    if (ready)
        ocr |= 1u << 31 | (m->kind != JC_SD_SDSC ? 1u << 30 : 0);
    answer32(m, 41, ocr);
    m->answer[0] = 0x3f;
    m->answer[5] = 0xff;
}

static void read_command(sd_card_model *m, unsigned index, uint32_t argument)
{
    if (m->state != TRANSFER) {
        refuse(m);
        return;
    }
    uint32_t lba = m->kind == JC_SD_SDSC ? argument / 512 : argument;
    if (lba >= m->sectors || (m->kind == JC_SD_SDSC && argument % 512 != 0)) {
        answer32(m, index, status(m, false) | ST_OUT_OF_RANGE);
        return;
    }
    answer32(m, index, status(m, false));
    m->state = DATA;
    m->wire_lba = lba;
    start_sending(m, index);
}

static void command(sd_card_model *m, unsigned index, uint32_t argument)
{
    switch (index) {
    case 0:
        sd_card_model_power_cycle(m);
        m->answer_none = true;
        break;
    case 8:
        if (m->version2)
            answer32(m, 8, argument & 0xfff);
        else
            refuse(m);
        break;
    case 55:
        if (argument >> 16 != m->rca) {
            m->answer_none = true;
            break;
        }
        m->app = true;
        answer32(m, 55, status(m, true));
        break;
    case 2:
        if (m->state != READY) {
            refuse(m);
            break;
        }
        m->state = IDENT;
        answer_reg(m, make_cid);
        break;
    case 3:
        if (m->state != IDENT) {
            refuse(m);
            break;
        }
        m->state = STANDBY;
        m->rca = m->nameless ? 0 : 0xb368;
        answer32(m, 3, m->rca << 16 | 0x0500);
        break;
    case 9:
    case 10:
        if (m->state != STANDBY || argument >> 16 != m->rca)
            refuse(m);
        else
            answer_reg(m, index == 9 ? make_csd : make_cid);
        break;
    case 7:
        if (m->state != STANDBY) {
            refuse(m);
            break;
        }
        m->state = TRANSFER;
        answer32(m, 7, status(m, false));
        break;
    case 6:
        if (m->state != TRANSFER || !m->high_speed) {
            refuse(m);
            break;
        }
        answer32(m, 6, status(m, false));
        m->switched |= argument >> 31 != 0 && !m->only_says_fast;
        start_sending(m, 6);
        break;
    case 12:
        if (m->state != DATA) {
            refuse(m);
            break;
        }
        answer32(m, 12, status(m, false) | (m->wire_lba >= m->sectors ? ST_OUT_OF_RANGE : 0));
        m->state = TRANSFER;
        m->sending = 0;
        break;
    case 13:
        if (argument >> 16 != m->rca)
            m->answer_none = true;
        else
            answer32(m, 13, status(m, false));
        break;
    case 16:
        answer32(m, 16, status(m, false));
        break;
    case 17:
    case 18:
        read_command(m, index, argument);
        break;
    default:
        refuse(m);
    }
}

static void app_command(sd_card_model *m, unsigned index, uint32_t argument)
{
    if (index == 41) {
        op_cond(m, argument);
    } else if (m->state == TRANSFER && index == 6 && m->refuses_four_lanes) {
        answer32(m, index, status(m, true) | ST_ERROR);
    } else if (m->state == TRANSFER && index == 6) {
        m->card_is_wide = argument == 2;
        answer32(m, index, status(m, true));
    } else if (m->state == TRANSFER && (index == 51 || index == 13)) {
        answer32(m, index, status(m, true));
        start_sending(m, index);
    } else {
        command(m, index, argument); /* unknown ones are ordinary commands */
    }
}

/* A command as it arrives, faults included. Leaves the answer in m->answer. */
static void hear(sd_card_model *m, const uint8_t frame[6])
{
    unsigned index = frame[0] & 63u;
    m->answer_none = true;
    if (m->leaves && index == m->leaves_at)
        m->inserted = false;
    if (!m->inserted)
        return;
    uint32_t argument =
        (uint32_t)frame[1] << 24 | (uint32_t)frame[2] << 16 | (uint32_t)frame[3] << 8 | frame[4];
    bool due = fault_due(m, index);
    model_fault kind = due ? m->fault.kind : FAULT_NONE;
    if (due && kind <= FAULT_REPORT)
        m->fault.count--;
    if (kind == FAULT_NOT_HEARD || crc7_bits(frame, 5) != frame[5] >> 1) {
        m->pending_status |= ST_COM_CRC;
        return;
    }
    m->commands[index]++;
    if (kind == FAULT_STATUS) {
        answer32(m, index, status(m, false) | m->fault.detail);
        return;
    }
    if (kind == FAULT_REPORT)
        m->pending_status |= m->fault.detail;
    bool app = m->app;
    m->app = false;
    if (app)
        app_command(m, index, argument);
    else
        command(m, index, argument);
    if (kind == FAULT_NO_ANSWER)
        m->answer_none = true;
    if (kind == FAULT_ANSWER_CRC)
        m->answer[3] ^= 0x10;
    if (kind == FAULT_WRONG_ANSWER && !m->answer_none)
        answer32(m, 1, 0x900);
    if (kind == FAULT_BUSY) {
        m->busy_until_us = m->now_us + m->fault.detail;
        m->fault.count--;
    }
}

static void push(sd_card_model *m, uint8_t byte)
{
    if (m->out_count < sizeof m->out)
        m->out[m->out_count++] = byte;
}

/* A read that ends before its next block; only CMD12 ends the card's wish to send. */
static void fall_silent(sd_card_model *m, uint32_t status)
{
    m->fault.count--;
    m->sending = 0;
    m->state = DATA;
    m->pending_status |= status;
}

static uint32_t faulty_block(const sd_card_model *m)
{
    return m->fault.kind == FAULT_TOKEN ? m->fault.detail & 255 : m->fault.detail;
}

/* Fill in the block that is due, with its checksum and faults. False: not (yet). */
static bool deliver(sd_card_model *m, unsigned lanes, uint8_t *bytes, uint8_t checksum[8])
{
    if (!m->inserted || m->sending == 0 || m->now_us < m->data_at_us)
        return false;
    bool due = m->fault.index == m->sending && m->fault.count > 0 && m->fault.skip == 0 &&
               m->block_number == faulty_block(m);
    model_fault kind = due ? m->fault.kind : FAULT_NONE;
    if (kind == FAULT_NO_DATA || kind == FAULT_NO_MEMORY) {
        fall_silent(m, kind == FAULT_NO_MEMORY ? ST_ECC : 0);
        return false;
    }
    if (kind == FAULT_TOKEN) {
        fall_silent(m, 0);
        m->out_count = m->out_next = 0;
        push(m, (uint8_t)(m->fault.detail >> 8));
        return false;
    }
    if (kind == FAULT_REMOVAL) {
        m->fault.count--;
        m->inserted = false;
        return false;
    }
    if (kind == FAULT_STALL && !m->stalled) {
        m->fault.count--;
        m->stalled = true;
        m->data_at_us = m->now_us + 90000;
        return false;
    }
    if (!make_block(m))
        return false;
    memcpy(bytes, m->block, m->block_bytes);
    if (lanes == 4) {
        crc16_four_lanes(m->block, m->block_bytes, checksum);
    } else {
        unsigned crc = crc16_one_lane(m->block, m->block_bytes);
        checksum[0] = (uint8_t)(crc >> 8);
        checksum[1] = (uint8_t)crc;
    }
    if (kind == FAULT_DATA_BIT)
        bytes[m->block_bytes / 2] ^= 0x40;
    if (kind == FAULT_CHECKSUM_BIT)
        checksum[1] ^= 0x01;
    if (kind == FAULT_DATA_BIT || kind == FAULT_CHECKSUM_BIT)
        m->fault.count--;
    if (m->block_bytes == 512 && (m->data_fails || (m->four_lanes_fail && lanes == 4) ||
                                  (m->fails_above_hz && m->clock_hz > m->fails_above_hz)))
        bytes[300] ^= 0x80;
    if (m->fast_edge != m->switched && m->clock_hz > 25000000)
        bytes[3] ^= 0x08;
    m->block_number++;
    m->data_at_us = m->now_us + 1 + m->block_bytes * 8000000u / lanes / m->clock_hz / 1000u;
    return true;
}

/* ---- as an SD bus ------------------------------------------------------ */

static uint32_t bus_configure(void *context, uint32_t max_hz, unsigned lanes, bool high_speed)
{
    sd_card_model *m = context;
    m->clock_hz = max_hz;
    m->lanes = lanes;
    m->fast_edge = high_speed;
    return max_hz;
}

static void bus_clocks(void *context, uint32_t count)
{
    sd_card_model *m = context;
    m->now_us += 1 + (uint32_t)((uint64_t)count * 1000000 / m->clock_hz);
}

static void bus_send(void *context, const uint8_t frame[6], uint32_t response_bytes)
{
    sd_card_model *m = context;
    m->answer_wanted = response_bytes > 0;
    m->answer_due_us = m->now_us + 100u * 1000000u / m->clock_hz;
    if (m->spi_mode)
        m->answer_none = true;
    else
        hear(m, frame);
}

static int bus_response(void *context, uint8_t *bytes)
{
    sd_card_model *m = context;
    m->now_us++;
    if (!m->answer_wanted)
        return JC_OK;
    if (m->now_us < m->answer_due_us)
        return JC_PENDING;
    if (m->answer_none)
        return JC_ERR_SD_NO_RESPONSE;
    memcpy(bytes, m->answer, m->answer_bytes);
    return JC_OK;
}

static void bus_receive(void *context, const jc_sd_transfer *transfer)
{
    sd_card_model *m = context;
    m->transfer = *transfer;
    m->progress = (jc_sd_progress){0};
    m->receiving = true;
    if (transfer->frame)
        bus_send(context, transfer->frame, JC_SD_FRAME_BYTES);
}

static void bus_progress(void *context, jc_sd_progress *progress)
{
    sd_card_model *m = context;
    m->now_us += 2;
    if (m->receiving && m->progress.blocks < m->transfer.blocks) {
        uint32_t block = m->progress.blocks;
        uint8_t *to = (uint8_t *)m->transfer.buffer + (size_t)block * m->transfer.block_bytes;
        if (m->progress.bytes == 0 && m->transfer.block_bytes == 512 && m->sending != 0 &&
            m->now_us >= m->data_at_us && m->wire_lba < m->sectors) {
            uint8_t early[512]; /* half of it first, as a DMA would show it */
            sd_card_model_sector(m, m->wire_lba, early);
            memcpy(to, early, 256);
            m->progress.bytes = 256;
        } else if (deliver(m, m->lanes, to, (uint8_t *)m->transfer.crc[block])) {
            m->progress.blocks++;
            m->progress.bytes = 0;
        }
    }
    m->progress.now_us = m->now_us;
    *progress = m->progress;
}

static void bus_abort(void *context)
{
    sd_card_model *m = context;
    m->receiving = false;
}

static bool bus_busy(void *context)
{
    sd_card_model *m = context;
    return (int32_t)(m->busy_until_us - m->now_us) > 0;
}

static void bus_wait(void *context)
{
    sd_card_model *m = context;
    m->now_us += 10;
}

static uint32_t bus_now_us(void *context)
{
    sd_card_model *m = context;
    return m->now_us;
}

jc_sd_bus sd_card_model_bus(sd_card_model *m)
{
    static const jc_sd_bus_ops ops = {.configure = bus_configure,
                                      .clocks = bus_clocks,
                                      .send = bus_send,
                                      .response = bus_response,
                                      .receive = bus_receive,
                                      .progress = bus_progress,
                                      .abort = bus_abort,
                                      .busy = bus_busy,
                                      .wait = bus_wait,
                                      .now_us = bus_now_us};
    return (jc_sd_bus){.ops = &ops, .context = m};
}

/* ---- as an SPI device -------------------------------------------------- */

/* What the native card says, in SPI's words. */
static void spi_command(sd_card_model *m, const uint8_t frame[6])
{
    unsigned index = frame[0] & 63u;
    bool was_app = m->app;
    const model_fault_plan *plan = &m->fault;
    if (m->spi_mode && plan->kind == FAULT_NOT_HEARD && plan->index == index && plan->count > 0 &&
        plan->skip == 0) {
        m->fault.count--;
        return; /* and go on with whatever was going on */
    }
    m->out_count = m->out_next = 0;
    push(m, 0xff);
    push(m, 0xff);
    if (index == 0) {
        hear(m, frame);
        m->spi_mode = true;
        m->rca = 0;
        push(m, 0x01);
        return;
    }
    if (!m->spi_mode)
        return;
    if (was_app && index == 41 && m->inserted) { /* HCS is all that counts */
        uint8_t with_voltage[6];
        memcpy(with_voltage, frame, 6);
        with_voltage[2] |= 0x30;
        with_voltage[5] = (uint8_t)(crc7_bits(with_voltage, 5) << 1 | 1);
        hear(m, with_voltage);
        if (m->not_sd) {
            push(m, 0x05);
            return;
        }
        push(m, m->state == READY ? 0x00 : 0x01);
        if (m->state == READY)
            m->state = TRANSFER;
        return;
    }
    if (index == 58 || index == 59 || index == 9 || index == 10) {
        if (m->leaves && index == m->leaves_at)
            m->inserted = false;
        if (!m->inserted)
            return;
        m->commands[index]++;
        push(m, m->state == IDLE ? 1 : 0);
        if (index == 58) {
            push(m, m->kind != JC_SD_SDSC ? 0xc0 : 0x80);
            push(m, 0xff);
            push(m, 0x80);
            push(m, 0x00);
        } else if (index != 59) {
            uint8_t reg[16];
            if (index == 9)
                make_csd(m, reg);
            else
                make_cid(m, reg);
            push(m, 0xff);
            push(m, 0xfe);
            for (unsigned i = 0; i < 16; i++)
                push(m, reg[i]);
            unsigned crc = crc16_one_lane(reg, 16);
            push(m, (uint8_t)(crc >> 8));
            push(m, (uint8_t)crc);
        }
        return;
    }
    hear(m, frame);
    if (m->answer_none) {
        if (m->inserted && m->pending_status & ST_ILLEGAL) {
            m->pending_status = 0;
            push(m, m->state == IDLE ? 5 : 4);
        }
        return;
    }
    uint32_t st = (uint32_t)m->answer[1] << 24 | (uint32_t)m->answer[2] << 16;
    push(m, (uint8_t)((m->state == IDLE) | (st & ST_OUT_OF_RANGE && index != 12 ? 0x40 : 0) |
                      (st & ST_ADDRESS ? 0x20 : 0) | (st & ST_COM_CRC ? 8 : 0)));
    if (index == 8)
        for (unsigned i = 1; i < 5; i++)
            push(m, m->answer[i]);
    if (index != 13) /* R1 has no place for these: they stay until R2 is asked for */
        m->pending_status |= st & (ST_ECC | ST_ERROR);
    else
        push(m, (uint8_t)((st & ST_ECC ? 0x10 : 0) | (st & ST_ERROR ? 0x04 : 0)));
}

static uint8_t spi_out(sd_card_model *m)
{
    if (m->out_next < m->out_count)
        return m->out[m->out_next++];
    if ((int32_t)(m->busy_until_us - m->now_us) > 0)
        return 0x00;
    uint8_t checksum[8];
    uint8_t bytes[512];
    if (m->spi_mode && deliver(m, 1, bytes, checksum)) {
        m->out_count = m->out_next = 0;
        push(m, 0xfe);
        for (uint32_t i = 0; i < m->block_bytes; i++)
            push(m, bytes[i]);
        push(m, checksum[0]);
        push(m, checksum[1]);
    }
    return 0xff;
}

static uint8_t spi_byte(sd_card_model *m, uint8_t in)
{
    m->now_us += 1 + 8000000u / m->clock_hz;
    if (m->shorted)
        return 0x00;
    if (!m->selected || !m->inserted)
        return 0xff;
    uint8_t out = spi_out(m);
    if (m->in_count > 0 || (in & 0xc0) == 0x40) {
        m->in_frame[m->in_count++] = in;
        if (m->in_count == 6) {
            m->in_count = 0;
            spi_command(m, m->in_frame);
        }
    }
    return out;
}

static uint32_t port_set_clock(void *context, uint32_t max_hz)
{
    sd_card_model *m = context;
    m->clock_hz = max_hz;
    m->lanes = 0;
    return max_hz;
}

static void port_select(void *context, bool selected)
{
    sd_card_model *m = context;
    m->selected = selected;
}

static void port_exchange(void *context, const uint8_t *out, uint8_t *in, uint32_t count)
{
    sd_card_model *m = context;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t byte = spi_byte(m, out ? out[i] : 0xff);
        if (in)
            in[i] = byte;
    }
}

/* Nothing else lets time pass for who only waits. */
static uint32_t port_now_us(void *context)
{
    sd_card_model *m = context;
    return ++m->now_us;
}

const jc_spi_port_ops sd_card_model_port = {.set_clock = port_set_clock,
                                            .select = port_select,
                                            .exchange = port_exchange,
                                            .now_us = port_now_us};
