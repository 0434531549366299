#include "jumpcore/sd_spi.h"

#include <stddef.h>

#include "sd_internal.h"

/* R1, figure 7-9. */
enum { R1_IDLE = 0x01, R1_ILLEGAL = 0x04, R1_CRC = 0x08, R1_ADDRESS = 0x20, R1_PARAMETER = 0x40 };

enum {
    ANSWER_WITHIN_BYTES = 16, /* the standard says 8 */
    TOKEN_START = 0xfe,
    TOKENS_PER_POLL = 8,
    STOPPED_BYTES = 4,
    REGISTER_TOKEN_WITHIN_US = 100000
};

static void exchange(jc_sd_spi *spi, const uint8_t *out, uint8_t *in, uint32_t count)
{
    spi->port->exchange(spi->port_context, out, in, count);
}

static uint8_t read_byte(jc_sd_spi *spi)
{
    uint8_t byte = 0xff;
    exchange(spi, NULL, &byte, 1);
    return byte;
}

/* Chip select up, and eight clocks for the card to let go of its output. */
static void release(jc_sd_spi *spi)
{
    spi->port->select(spi->port_context, false);
    read_byte(spi);
}

static uint32_t configure(void *context, uint32_t max_hz, unsigned lanes, bool high_speed)
{
    jc_sd_spi *spi = context;
    (void)lanes;
    (void)high_speed;
    spi->receiving = false;
    return spi->port->set_clock(spi->port_context, max_hz);
}

static void clocks(void *context, uint32_t count)
{
    jc_sd_spi *spi = context;
    spi->port->select(spi->port_context, false);
    for (uint32_t i = 0; i < count; i += 8)
        read_byte(spi);
}

static uint32_t status_of(uint8_t r1)
{
    uint32_t status = r1 & R1_IDLE;
    status |= r1 & R1_ILLEGAL ? 1u << 22 : 0;
    status |= r1 & R1_CRC ? 1u << 23 : 0;
    status |= r1 & R1_ADDRESS ? 1u << 30 : 0;
    status |= r1 & R1_PARAMETER ? 1u << 31 : 0;
    return status;
}

/* The second byte that CMD13 answers in SPI mode, figure 7-10. */
static uint32_t status_of_r2(uint8_t byte)
{
    uint32_t status = byte & 0x01 ? 1u << 25 : 0;
    status |= byte & 0x04 ? 1u << 19 : 0;
    status |= byte & 0x08 ? 1u << 20 : 0;
    status |= byte & 0x10 ? 1u << 21 : 0;
    status |= byte & 0x80 ? 1u << 31 : 0;
    return status;
}

/* Section 7.3.3.3; what is neither a block's start nor an error is a damaged token. */
static int error_token(uint8_t token)
{
    if (token == 0 || token >= 0x20)
        return JC_ERR_SD_DATA_CRC;
    if (token & 0x10)
        return JC_ERR_SD_LOCKED;
    if (token & 0x08)
        return JC_ERR_SD_ADDRESS;
    return token & 0x04 ? JC_ERR_SD_ECC : JC_ERR_SD_CARD;
}

/* CID and CSD are data blocks, passed on as R2: look for the block's start, then take it. */
static int look_for_register(jc_sd_spi *spi)
{
    uint8_t token = 0xff;
    for (int i = 0; i < TOKENS_PER_POLL && token == 0xff; i++)
        token = read_byte(spi);
    uint32_t waited_us = spi->port->now_us(spi->port_context) - spi->asked_us;
    if (token == 0xff)
        return waited_us > REGISTER_TOKEN_WITHIN_US ? JC_ERR_SD_DATA_TIMEOUT : JC_PENDING;
    if (token != TOKEN_START)
        return error_token(token);
    uint8_t checksum[2];
    spi->answer[0] = 0x3f;
    exchange(spi, NULL, spi->answer + 1, 16);
    exchange(spi, NULL, checksum, 2);
    uint16_t expected = jc_sd_crc16_bytes(spi->answer + 1, 16);
    return expected == (checksum[0] << 8 | checksum[1]) ? JC_OK : JC_ERR_SD_DATA_CRC;
}

static void make_answer(jc_sd_spi *spi, unsigned index, uint32_t content)
{
    jc_sd_frame(spi->answer, index, content);
    spi->answer[0] = (uint8_t)index; /* from the card, not from the host */
    spi->answer[5] = jc_sd_crc7(spi->answer, 5);
}

/* After CMD12's answer the line is low as long as the card is busy, then high. One
 * that moves otherwise belongs to a card that has not heard CMD12 and goes on
 * sending: what looked like an answer were data. */
static bool is_still_sending(jc_sd_spi *spi)
{
    uint8_t previous = 0;
    for (int i = 0; i < STOPPED_BYTES; i++) {
        uint8_t byte = read_byte(spi);
        bool rises = (byte & (byte + 1u)) == 0; /* zeros, then ones */
        if (!rises || (previous != 0 && byte != 0xff))
            return true;
        previous = byte;
    }
    return false;
}

static int read_answer(jc_sd_spi *spi, unsigned index)
{
    uint8_t r1 = 0xff;
    if (index == CMD12_STOP_TRANSMISSION)
        read_byte(spi); /* a stuff byte, perhaps data */
    for (int i = 0; i < ANSWER_WITHIN_BYTES && r1 == 0xff; i++)
        r1 = read_byte(spi);
    if (r1 & 0x80) /* silence, or a block's start already */
        return JC_ERR_SD_NO_RESPONSE;
    if (index == CMD12_STOP_TRANSMISSION && is_still_sending(spi))
        return JC_ERR_SD_NO_RESPONSE;
    bool refused = (r1 & (R1_ILLEGAL | R1_CRC)) != 0;
    if (spi->answer_bytes == JC_SD_LONG_RESPONSE_BYTES && !refused)
        return JC_PENDING;
    if ((index == CMD8_SEND_IF_COND || index == CMD58_READ_OCR) && !refused) {
        uint8_t content[4];
        exchange(spi, NULL, content, 4);
        make_answer(spi, index,
                    (uint32_t)content[0] << 24 | (uint32_t)content[1] << 16 |
                        (uint32_t)content[2] << 8 | content[3]);
        return JC_OK;
    }
    if (refused && index == CMD8_SEND_IF_COND)
        return r1 & R1_ILLEGAL ? JC_ERR_SD_ILLEGAL : JC_ERR_SD_COMMAND_CRC;
    uint32_t status = status_of(r1);
    if (index == CMD13_SEND_STATUS)
        status |= status_of_r2(read_byte(spi));
    make_answer(spi, index, status);
    return JC_OK;
}

static void send(void *context, const uint8_t frame[JC_SD_FRAME_BYTES], uint32_t response_bytes)
{
    jc_sd_spi *spi = context;
    spi->answer_bytes = response_bytes;
    spi->port->select(spi->port_context, true);
    read_byte(spi);
    exchange(spi, frame, NULL, JC_SD_FRAME_BYTES);
    unsigned index = frame[0] & 0x3fu;
    spi->result = read_answer(spi, index);
    spi->asked_us = spi->port->now_us(spi->port_context);
    bool data_follow = spi->receiving || spi->result == JC_PENDING;
    if (!data_follow || index == CMD12_STOP_TRANSMISSION)
        release(spi);
}

static int response(void *context, uint8_t *bytes)
{
    jc_sd_spi *spi = context;
    if (spi->result == JC_PENDING) {
        spi->result = look_for_register(spi);
        if (spi->result != JC_PENDING)
            release(spi);
    }
    if (spi->result == JC_OK)
        for (uint32_t i = 0; i < spi->answer_bytes; i++)
            bytes[i] = spi->answer[i];
    return spi->result;
}

static void receive(void *context, const jc_sd_transfer *transfer)
{
    jc_sd_spi *spi = context;
    spi->transfer = *transfer;
    spi->progress = (jc_sd_progress){0};
    spi->receiving = true;
    if (transfer->frame)
        send(context, transfer->frame, JC_SD_FRAME_BYTES);
}

/* Look for a block's start, then take the whole block. */
static void progress(void *context, jc_sd_progress *progress)
{
    jc_sd_spi *spi = context;
    uint8_t token = 0xff;
    if (spi->progress.blocks < spi->transfer.blocks && spi->progress.error == JC_OK) {
        for (int i = 0; i < TOKENS_PER_POLL && token == 0xff; i++)
            token = read_byte(spi);
        if (token == TOKEN_START) {
            uint32_t block = spi->progress.blocks;
            uint32_t bytes = spi->transfer.block_bytes;
            exchange(spi, NULL, (uint8_t *)spi->transfer.buffer + (size_t)block * bytes, bytes);
            exchange(spi, NULL, (uint8_t *)spi->transfer.crc[block], 2);
            spi->progress.blocks++;
        } else if (token != 0xff) {
            spi->progress.error = error_token(token);
        }
        if (spi->progress.blocks == spi->transfer.blocks)
            spi->receiving = false;
    }
    spi->progress.now_us = spi->port->now_us(spi->port_context);
    *progress = spi->progress;
}

static void abort_transfer(void *context)
{
    jc_sd_spi *spi = context;
    spi->receiving = false;
    spi->result = JC_OK;
    release(spi);
}

static bool busy(void *context)
{
    jc_sd_spi *spi = context;
    uint8_t all = 0xff;
    spi->port->select(spi->port_context, true);
    for (int i = 0; i < STOPPED_BYTES; i++) /* several, or data could look like silence */
        all &= read_byte(spi);
    release(spi);
    return all != 0xff;
}

static void wait(void *context)
{
    (void)context; /* the next progress() moves bytes itself */
}

static uint32_t now_us(void *context)
{
    jc_sd_spi *spi = context;
    return spi->port->now_us(spi->port_context);
}

void jc_sd_spi_begin(jc_sd_spi *spi, const jc_spi_port_ops *port, void *port_context)
{
    static const jc_sd_bus_ops ops = {.configure = configure,
                                      .clocks = clocks,
                                      .send = send,
                                      .response = response,
                                      .receive = receive,
                                      .progress = progress,
                                      .abort = abort_transfer,
                                      .busy = busy,
                                      .wait = wait,
                                      .now_us = now_us};
    *spi = (jc_sd_spi){
        .bus = {.ops = &ops, .context = spi}, .port = port, .port_context = port_context};
}
