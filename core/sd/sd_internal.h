/*
 * sd_internal.h - commands and answers, shared by identification and reads.
 */
#ifndef JUMPCORE_SD_INTERNAL_H
#define JUMPCORE_SD_INTERNAL_H

#include "jumpcore/sd.h"

enum {
    CMD0_GO_IDLE = 0,
    CMD2_ALL_SEND_CID = 2,
    CMD3_SEND_RELATIVE_ADDR = 3,
    CMD6_SWITCH_FUNC = 6,
    CMD7_SELECT_CARD = 7,
    CMD8_SEND_IF_COND = 8,
    CMD9_SEND_CSD = 9,
    CMD10_SEND_CID = 10,
    CMD12_STOP_TRANSMISSION = 12,
    CMD13_SEND_STATUS = 13,
    CMD16_SET_BLOCKLEN = 16,
    CMD17_READ_SINGLE = 17,
    CMD18_READ_MULTIPLE = 18,
    CMD55_APP_CMD = 55,
    CMD58_READ_OCR = 58, /* SPI mode only */
    CMD59_CRC_ON = 59,   /* SPI mode only */
    ACMD6_SET_BUS_WIDTH = 6,
    ACMD13_SD_STATUS = 13,
    ACMD41_SD_SEND_OP_COND = 41,
    ACMD51_SEND_SCR = 51
};

enum { JC_SD_DATA_TIMEOUT_US = 100000, JC_SD_BUSY_TIMEOUT_US = 250000 };

/* The answers that we read, section 4.9. All but NONE and R2 are 6 bytes. */
typedef enum sd_answer {
    ANSWER_NONE,
    ANSWER_R1,  /* card status */
    ANSWER_R1B, /* card status, then perhaps busy */
    ANSWER_R2,  /* CID or CSD */
    ANSWER_R3,  /* OCR, without index and checksum */
    ANSWER_R6,  /* relative address and part of the status */
    ANSWER_R7   /* the echo of CMD8 */
} sd_answer;

/* Errors in an R1 card status (section 4.10.1), JC_OK when there are none. */
int jc_sd_status_error(uint32_t status);

/* The command as it goes over the bus. */
void jc_sd_frame(uint8_t frame[JC_SD_FRAME_BYTES], unsigned index, uint32_t argument);

/* A 6-byte answer's 32-bit content; checks index, checksum and, in R1, errors. */
int jc_sd_parse(const uint8_t *answer, unsigned index, sd_answer kind, uint32_t *content);

/* Send one command, wait for its answer (at most some 100 clocks). `content` may
 * be NULL; `reg` takes R2's 16 bytes. For R1B waits until the card is not busy. */
int jc_sd_command(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind, uint32_t *content,
                  uint8_t reg[16]);

/* The same, up to three times while the line disturbs it. */
int jc_sd_command_retry(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind,
                        uint32_t *content, uint8_t reg[16]);

/* CMD55 and the application command. */
int jc_sd_app_command(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind,
                      uint32_t *content);

/* Back to the transfer state, whatever state the card is in now. JC_ERR_NO_MEDIUM
 * when it does not answer any more. */
int jc_sd_recover(jc_sd *sd);

/* A command (an application command when `app`) that is answered with one short
 * data block of 8 or 64 bytes. Tried three times. */
int jc_sd_read_register(jc_sd *sd, bool app, unsigned index, uint32_t argument, void *block,
                        uint32_t bytes);

/* Count an error under its kind. */
void jc_sd_count(jc_sd *sd, int error);

/* Whether repeating may help: the line's fault, not the card's verdict. */
bool jc_sd_is_line_error(int error);

/* Identify at sd->link.step or, where the card does not support that, the next
 * one that it does. */
int jc_sd_identify(jc_sd *sd);

/* Wait until the card is no longer busy. */
int jc_sd_wait_ready(jc_sd *sd);

#endif
