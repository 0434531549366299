/*
 * fuzz_sd.c - hostile SD cards and lines: core/sd above a card model whose answers,
 * blocks and bytes the input bends on their way.
 *
 * The input begins with what the card is and how it is to be treated; then the card
 * is read, looked after, cancelled, pulled out and put in as further bytes say. Every
 * answer and block draws a byte that decides what happens to it; a byte that
 * is not there leaves it alone, so that each input ends honestly.
 *
 * Beyond what the sanitizers see, it is a finding when a call takes longer than its
 * header says, when a read does not end, when bytes that were delivered are not
 * those of the card, and when a card in order does not work afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "../support/sd_card_model.h"

enum {
    OPERATIONS_MAX = 12,
    SECTORS_MAX = 20,
    CALL_US_MAX = 3000,
    READ_US_MAX = 20000000,
    START_US_MAX = 20000000,
    WAIT_US = 200
};

static struct {
    const uint8_t *bytes;
    size_t left;
    sd_card_model card;
    jc_sd_bus honest, native;
    jc_sd_spi spi;
    jc_sd sd;
} it;

static void finding(bool bad)
{
    if (bad)
        abort();
}

static uint8_t draw(void)
{
    if (it.left == 0)
        return 0;
    it.left--;
    return *it.bytes++;
}

/* ---- a line that lies -------------------------------------------------------- */

static uint8_t crc7_byte(const uint8_t *bytes, unsigned count)
{
    unsigned crc = 0;
    for (unsigned i = 0; i < count * 8; i++) {
        unsigned feedback = (crc >> 6 ^ bytes[i / 8] >> (7 - i % 8)) & 1;
        crc = (crc << 1 & 0x7f) ^ (feedback ? 9 : 0);
    }
    return (uint8_t)(crc << 1 | 1);
}

/* What happens to the card itself, besides. */
static void bend_card(uint8_t how)
{
    if (how < 0x40)
        it.card.busy_until_us = it.card.now_us + how * 8000u;
    else if (how < 0x50)
        it.card.inserted = false;
    else if (how < 0x60)
        sd_card_model_power_cycle(&it.card);
    else if (how < 0x80)
        it.card.sending = 0; /* falls silent */
}

/* R1, R6 and R7 with other contents under a right checksum, or a flipped bit. */
static int bend_answer(uint8_t *answer)
{
    uint8_t how = draw();
    if (how < 0xc0)
        return JC_OK;
    if (how < 0xd0)
        return JC_ERR_SD_NO_RESPONSE;
    if (how < 0xe0) {
        answer[draw() % JC_SD_FRAME_BYTES] ^= (uint8_t)(1u << draw() % 8);
    } else if (how < 0xf0 && answer[0] != 0x3f) {
        answer[1 + draw() % 4] ^= draw();
        answer[5] = crc7_byte(answer, 5);
    } else {
        bend_card(draw());
    }
    return JC_OK;
}

static int bent_response(void *context, uint8_t *bytes)
{
    int result = it.honest.ops->response(context, bytes);
    return result == JC_OK && it.card.answer_wanted ? bend_answer(bytes) : result;
}

static void bent_progress(void *context, jc_sd_progress *progress)
{
    uint32_t before = it.card.progress.blocks;
    it.honest.ops->progress(context, progress);
    if (progress->blocks == before)
        return;
    uint8_t how = draw();
    uint32_t bytes = it.card.transfer.block_bytes;
    uint8_t *block = (uint8_t *)it.card.transfer.buffer + (size_t)before * bytes;
    if (how >= 0xf0)
        bend_card(draw());
    else if (how >= 0xd0)
        block[bytes - 1 - draw() % (bytes / 2)] ^= (uint8_t)(1u << how % 8); /* not yet seen */
    else if (how >= 0xc0)
        ((uint8_t *)it.card.transfer.crc[before])[how % 2] ^= 0x10;
}

/* In SPI mode nothing else passes the time of who waits. */
static uint32_t bent_now_us(void *context)
{
    it.card.now_us += 9;
    return sd_card_model_port.now_us(context);
}

static void bent_wait(void *context)
{
    it.card.now_us += WAIT_US;
    it.honest.ops->wait(context);
}

/* One byte decides about a whole exchange. */
static void bent_exchange(void *context, const uint8_t *out, uint8_t *in, uint32_t count)
{
    sd_card_model_port.exchange(context, out, in, count);
    uint8_t how = in ? draw() : 0;
    if (how >= 0xfc)
        bend_card(draw());
    else if (how >= 0xf0)
        in[draw() * 2u % count] ^= (uint8_t)(1u << how % 8);
}

/* ---- what a host does --------------------------------------------------------- */

static uint32_t timed(uint32_t begin_us)
{
    return it.card.now_us - begin_us;
}

static int poll_once(void)
{
    uint32_t begin_us = it.card.now_us;
    int result = jc_blockdev_poll(&it.sd.device);
    finding(timed(begin_us) > CALL_US_MAX);
    return result;
}

static void check_bytes(uint32_t lba, uint32_t sectors, const uint8_t *buffer)
{
    uint8_t expected[JC_SECTOR_BYTES];
    for (uint32_t i = 0; i < sectors; i++) {
        sd_card_model_sector(&it.card, lba + i, expected);
        finding(memcmp(buffer + (size_t)i * JC_SECTOR_BYTES, expected, sizeof expected) != 0);
    }
}

/* `polls` 0: until it is over; else it is cancelled after so many. */
static int read_sectors(uint32_t lba, uint32_t sectors, unsigned misalign, unsigned polls)
{
    static uint8_t memory[SECTORS_MAX * JC_SECTOR_BYTES + 4];
    uint8_t *buffer = memory + misalign;
    uint32_t begin_us = it.card.now_us;
    int result = jc_blockdev_submit(&it.sd.device, lba, sectors, buffer);
    finding(timed(begin_us) > CALL_US_MAX);
    if (result != JC_OK)
        return result;
    for (unsigned n = 1; (result = poll_once()) == JC_PENDING; n++) {
        it.sd.device.ops->wait(it.sd.device.context);
        finding(timed(begin_us) > READ_US_MAX);
        if (n == polls) {
            jc_sd_cancel(&it.sd);
            return JC_PENDING;
        }
    }
    if (result == JC_OK)
        check_bytes(lba, sectors, buffer);
    return result;
}

static void start(void)
{
    uint32_t begin_us = it.card.now_us;
    int result = jc_sd_start(&it.sd);
    finding(timed(begin_us) > START_US_MAX);
    finding((result == JC_OK) != (it.sd.device.sector_count > 0));
}

static void reinsert(void)
{
    it.card.inserted = true;
    sd_card_model_power_cycle(&it.card);
}

static uint32_t somewhere(void)
{
    static uint32_t next;
    uint8_t how = draw();
    if (how < 0x80) /* go on where the last read ended */
        next = next < it.card.sectors / 2 ? next : 0;
    else if (how < 0xf0)
        next = (uint32_t)draw() << 8 | draw();
    else
        next = it.card.sectors - SECTORS_MAX;
    uint32_t lba = next;
    next += 3;
    return lba;
}

static void operate(void)
{
    uint8_t what = draw();
    if (what < 0xa0) {
        uint32_t sectors = what < 0x80 ? 3 : 1 + draw() % SECTORS_MAX;
        read_sectors(somewhere(), sectors, what % 4, 0);
    } else if (what < 0xc0) {
        read_sectors(somewhere(), 3, 0, 1 + draw());
    } else if (what < 0xd0) {
        jc_sd_check(&it.sd);
    } else if (what < 0xe0) {
        it.card.inserted = false;
    } else if (what < 0xf0) {
        reinsert();
        start();
    } else {
        start();
    }
    finding((it.sd.state == JC_SD_ABSENT) != (it.sd.device.sector_count == 0));
}

/* ---- one input ------------------------------------------------------------------ */

static void begin(void)
{
    static jc_sd_bus_ops native_ops;
    static jc_spi_port_ops port_ops;
    uint8_t kind = draw(), how = draw();
    memset(&it.card, 0, sizeof it.card);
    sd_card_model_begin(&it.card, (jc_sd_kind)(kind % 3));
    it.card.high_speed = (kind & 0x08) == 0;
    it.card.spi_only = (kind & 0x30) == 0x30;
    it.card.four_lanes_fail = (kind & 0xc0) == 0x40;
    it.card.start_us = 500;
    it.card.access_us = 1u << how % 16;
    sd_card_model_power_cycle(&it.card);
    it.honest = sd_card_model_bus(&it.card);
    native_ops = *it.honest.ops;
    native_ops.response = bent_response;
    native_ops.progress = bent_progress;
    native_ops.wait = bent_wait;
    it.native = (jc_sd_bus){.ops = &native_ops, .context = &it.card};
    port_ops = sd_card_model_port;
    port_ops.exchange = bent_exchange;
    port_ops.now_us = bent_now_us;
    jc_sd_spi_begin(&it.spi, &port_ops, &it.card);
    jc_sd_policy policy = jc_sd_policy_default;
    policy.tries = (uint8_t)(1 + (how >> 6));
    jc_sd_begin(&it.sd, kind == 0xff ? NULL : &it.native, &it.spi.bus, &policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    it.bytes = bytes;
    it.left = count;
    begin();
    start();
    for (int i = 0; i < OPERATIONS_MAX && it.left > 0; i++)
        operate();
    it.left = 0; /* from here on the line is honest */
    reinsert();
    start();
    finding(it.sd.device.sector_count != it.card.sectors);
    finding(read_sectors(1, 3, 0, 0) != JC_OK);
    return 0;
}
