/*
 * Commands and answers as they go over the bus.
 */
#include <stddef.h>

#include "jumpcore/hot.h"
#include "sd_internal.h"

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

static uint32_t answer_bytes(sd_answer kind)
{
    if (kind == ANSWER_NONE)
        return 0;
    return kind == ANSWER_R2 ? JC_SD_LONG_RESPONSE_BYTES : JC_SD_FRAME_BYTES;
}

void jc_sd_send(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind)
{
    uint8_t frame[JC_SD_FRAME_BYTES];
    jc_sd_frame(frame, index, argument);
    sd->bus->ops->send(sd->bus->context, frame, answer_bytes(kind));
}

int jc_sd_take_answer(jc_sd *sd, unsigned index, sd_answer kind, uint32_t *content, uint8_t reg[16])
{
    uint8_t answer[JC_SD_LONG_RESPONSE_BYTES];
    int result = sd->bus->ops->response(sd->bus->context, answer);
    if (result != JC_OK || kind == ANSWER_NONE)
        return result;
    return kind == ANSWER_R2 ? parse_long(answer, reg) : jc_sd_parse(answer, index, kind, content);
}

int jc_sd_ready(jc_sd *sd, uint32_t since_us)
{
    const jc_sd_bus *bus = sd->bus;
    if (!bus->ops->busy(bus->context))
        return JC_OK;
    if (bus->ops->now_us(bus->context) - since_us > JC_SD_BUSY_TIMEOUT_US)
        return JC_ERR_SD_BUSY_TIMEOUT;
    bus->ops->clocks(bus->context, 64); /* a card lets go of lane 0 at a clock */
    sd->patient = true;
    return JC_PENDING;
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
