#include <stddef.h>

#include "jumpcore/hot.h"
#include "sd_internal.h"

enum { TRIES = 3 };

/* Card status bits, table 4-42. */
#define STATUS_OUT_OF_RANGE (1u << 31)
#define STATUS_ADDRESS_ERROR (1u << 30)
#define STATUS_BLOCK_LEN_ERROR (1u << 29)
#define STATUS_LOCKED (1u << 25)
#define STATUS_COM_CRC_ERROR (1u << 23)
#define STATUS_ILLEGAL_COMMAND (1u << 22)
#define STATUS_CARD_ECC_FAILED (1u << 21)
#define STATUS_CC_ERROR (1u << 20)
#define STATUS_ERROR (1u << 19)
#define STATUS_ERRORS                                                                              \
    (STATUS_OUT_OF_RANGE | STATUS_ADDRESS_ERROR | STATUS_BLOCK_LEN_ERROR | STATUS_COM_CRC_ERROR |  \
     STATUS_ILLEGAL_COMMAND | STATUS_CARD_ECC_FAILED | STATUS_CC_ERROR | STATUS_ERROR)

int JC_HOT jc_sd_status_error(uint32_t status)
{
    if ((status & (STATUS_ERRORS | STATUS_LOCKED)) == 0)
        return JC_OK;
    if (status & STATUS_LOCKED)
        return JC_ERR_SD_LOCKED;
    if (status & STATUS_COM_CRC_ERROR)
        return JC_ERR_SD_COMMAND_CRC;
    if (status & STATUS_ILLEGAL_COMMAND)
        return JC_ERR_SD_ILLEGAL;
    if (status & (STATUS_OUT_OF_RANGE | STATUS_ADDRESS_ERROR | STATUS_BLOCK_LEN_ERROR))
        return JC_ERR_SD_ADDRESS;
    if (status & STATUS_CARD_ECC_FAILED)
        return JC_ERR_SD_ECC;
    return JC_ERR_SD_CARD;
}

void JC_HOT jc_sd_frame(uint8_t frame[JC_SD_FRAME_BYTES], unsigned index, uint32_t argument)
{
    frame[0] = (uint8_t)(0x40u | index);
    frame[1] = (uint8_t)(argument >> 24);
    frame[2] = (uint8_t)(argument >> 16);
    frame[3] = (uint8_t)(argument >> 8);
    frame[4] = (uint8_t)argument;
    frame[5] = jc_sd_crc7(frame, 5);
}

int JC_HOT jc_sd_parse(const uint8_t *answer, unsigned index, sd_answer kind, uint32_t *content)
{
    uint32_t value = (uint32_t)answer[1] << 24 | (uint32_t)answer[2] << 16 |
                     (uint32_t)answer[3] << 8 | answer[4];
    if (content)
        *content = value;
    if (kind == ANSWER_R3)
        return answer[0] == 0x3f && answer[5] == 0xff ? JC_OK : JC_ERR_SD_RESPONSE;
    if (jc_sd_crc7(answer, 5) != answer[5])
        return JC_ERR_SD_RESPONSE_CRC;
    if (answer[0] != index)
        return JC_ERR_SD_RESPONSE;
    if (kind == ANSWER_R1 || kind == ANSWER_R1B)
        return jc_sd_status_error(value);
    return JC_OK;
}

static int parse_long(const uint8_t *answer, uint8_t reg[16])
{
    if (answer[0] != 0x3f)
        return JC_ERR_SD_RESPONSE;
    for (unsigned i = 0; i < 16; i++)
        reg[i] = answer[1 + i];
    return jc_sd_crc7(reg, 15) == (reg[15] | 1u) ? JC_OK : JC_ERR_SD_RESPONSE_CRC;
}

bool jc_sd_is_line_error(int error)
{
    return error == JC_ERR_SD_NO_RESPONSE || error == JC_ERR_SD_RESPONSE_CRC ||
           error == JC_ERR_SD_RESPONSE || error == JC_ERR_SD_COMMAND_CRC ||
           error == JC_ERR_SD_DATA_CRC || error == JC_ERR_SD_DATA_TIMEOUT;
}

void jc_sd_count(jc_sd *sd, int error)
{
    if (error <= JC_ERR_SD_NO_RESPONSE && error >= JC_ERR_SD_LOCKED)
        sd->stats.errors[JC_ERR_SD_NO_RESPONSE - error]++;
}

int jc_sd_wait_ready(jc_sd *sd)
{
    const jc_sd_bus *bus = sd->bus;
    uint32_t begin_us = bus->ops->now_us(bus->context);
    while (bus->ops->busy(bus->context)) {
        if (bus->ops->now_us(bus->context) - begin_us > JC_SD_BUSY_TIMEOUT_US)
            return JC_ERR_SD_BUSY_TIMEOUT;
        bus->ops->clocks(bus->context, 64);
    }
    return JC_OK;
}

static uint32_t answer_bytes(sd_answer kind)
{
    if (kind == ANSWER_NONE)
        return 0;
    return kind == ANSWER_R2 ? JC_SD_LONG_RESPONSE_BYTES : JC_SD_FRAME_BYTES;
}

/* Wait for the answer to what was sent, and look at it. */
static int take_answer(jc_sd *sd, unsigned index, sd_answer kind, uint32_t *content,
                       uint8_t reg[16])
{
    const jc_sd_bus *bus = sd->bus;
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES] = {0};
    int result;
    while ((result = bus->ops->response(bus->context, answer)) == JC_PENDING)
        ; /* bounded by the bus: an answer begins within 64 clocks */
    if (result != JC_OK || kind == ANSWER_NONE)
        return result;
    if (kind == ANSWER_R2)
        return parse_long(answer, reg);
    result = jc_sd_parse(answer, index, kind, content);
    if (result == JC_OK && kind == ANSWER_R1B)
        result = jc_sd_wait_ready(sd);
    return result;
}

int jc_sd_command(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind, uint32_t *content,
                  uint8_t reg[16])
{
    uint8_t frame[JC_SD_FRAME_BYTES];
    jc_sd_frame(frame, index, argument);
    sd->bus->ops->send(sd->bus->context, frame, answer_bytes(kind));
    return take_answer(sd, index, kind, content, reg);
}

int jc_sd_command_retry(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind,
                        uint32_t *content, uint8_t reg[16])
{
    int result = JC_ERR_SD_NO_RESPONSE;
    for (int i = 0; i < TRIES; i++) {
        result = jc_sd_command(sd, index, argument, kind, content, reg);
        if (!jc_sd_is_line_error(result))
            return result;
    }
    jc_sd_count(sd, result);
    return result;
}

int jc_sd_app_command(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind,
                      uint32_t *content)
{
    int result = JC_ERR_SD_NO_RESPONSE;
    for (int i = 0; i < TRIES; i++) {
        result = jc_sd_command(sd, CMD55_APP_CMD, sd->rca, ANSWER_R1, NULL, NULL);
        if (result == JC_OK)
            result = jc_sd_command(sd, index, argument, kind, content, NULL);
        if (!jc_sd_is_line_error(result))
            return result;
    }
    jc_sd_count(sd, result);
    return result;
}

/* Wait for the one block that was asked for, and check it. */
static int receive_block(jc_sd *sd, const jc_sd_transfer *transfer)
{
    const jc_sd_bus *bus = sd->bus;
    uint32_t begin_us = bus->ops->now_us(bus->context);
    jc_sd_progress progress = {0};
    for (;;) {
        bus->ops->progress(bus->context, &progress);
        if (progress.error != JC_OK)
            return progress.error;
        if (progress.blocks == 1)
            break;
        if (bus->ops->now_us(bus->context) - begin_us > JC_SD_DATA_TIMEOUT_US)
            return JC_ERR_SD_DATA_TIMEOUT;
        bus->ops->wait(bus->context);
    }
    jc_sd_crc16_begin(&sd->crc, transfer->block_bytes / 4, sd->link.lanes);
    bool right = jc_sd_crc16_matches(&sd->crc, transfer->buffer, transfer->crc[0]);
    return right ? JC_OK : JC_ERR_SD_DATA_CRC;
}

int jc_sd_recover(jc_sd *sd)
{
    sd->bus->ops->abort(sd->bus->context);
    sd->open = sd->stopping = false;
    jc_sd_command(sd, CMD12_STOP_TRANSMISSION, 0, ANSWER_R1B, NULL, NULL);
    int result = JC_ERR_SD_NO_RESPONSE;
    for (int i = 0; i < 4 && result == JC_ERR_SD_NO_RESPONSE; i++)
        result = jc_sd_command(sd, CMD13_SEND_STATUS, sd->rca, ANSWER_R1, NULL, NULL);
    return result == JC_ERR_SD_NO_RESPONSE ? JC_ERR_NO_MEDIUM : JC_OK;
}

int jc_sd_read_register(jc_sd *sd, bool app, unsigned index, uint32_t argument, void *block,
                        uint32_t bytes)
{
    const jc_sd_bus *bus = sd->bus;
    uint8_t frame[JC_SD_FRAME_BYTES];
    jc_sd_transfer transfer = {.buffer = sd->bounce,
                               .crc = sd->checksums,
                               .blocks = 1,
                               .block_bytes = bytes,
                               .frame = frame};
    jc_sd_frame(frame, index, argument);
    int result = JC_ERR_SD_NO_RESPONSE;
    for (int i = 0; i < TRIES; i++) {
        result = JC_OK;
        if (app)
            result = jc_sd_command_retry(sd, CMD55_APP_CMD, sd->rca, ANSWER_R1, NULL, NULL);
        if (result != JC_OK)
            return result;
        bus->ops->receive(bus->context, &transfer);
        result = take_answer(sd, index, ANSWER_R1, NULL, NULL);
        if (result == JC_OK)
            result = receive_block(sd, &transfer);
        if (result == JC_OK) {
            const uint8_t *from = (const uint8_t *)sd->bounce;
            for (uint32_t k = 0; k < bytes; k++)
                ((uint8_t *)block)[k] = from[k];
            return JC_OK;
        }
        jc_sd_count(sd, result);
        /* A card that has yet to send takes a repetition for illegal: stop it first. */
        if (jc_sd_recover(sd) != JC_OK || !jc_sd_is_line_error(result))
            return result;
    }
    return result;
}
