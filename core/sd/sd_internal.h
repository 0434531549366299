/*
 * sd_internal.h - what the files of core/sd share.
 *
 *     command.c    commands and answers as they go over the bus
 *     exchange.c   one command from being sent until the card is done with it
 *     identify.c   from power-up to the transfer state, at one step
 *     speed.c      its last questions: lanes and clock
 *     start.c      the same, step by step until one works
 *     recover.c    back to the transfer state, whatever the card is doing
 *     read.c       requests, their sectors, and what is checked when
 *     retry.c      what becomes of a request that met an error
 *     sd.c         the card's coming and going, as its owner sees it
 *
 * Nothing here waits. What takes time is begun by one function and looked at by
 * another, which says JC_PENDING until it is over; a look costs at most one command.
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
#define STATUS_SPI_IDLE 1u /* of SPI's R1: still starting (sd_spi.h) */

enum { STATE_TRANSFER = 4 }; /* bits 12 .. 9 */

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

/* ---- command.c ----------------------------------------------------------- */

/* Errors in an R1 card status (section 4.10.1), JC_OK when there are none. */
int jc_sd_status_error(uint32_t status);

/* The command as it goes over the bus. */
void jc_sd_frame(uint8_t frame[JC_SD_FRAME_BYTES], unsigned index, uint32_t argument);

/* A 6-byte answer's 32-bit content; checks index, checksum and, in R1, errors. */
int jc_sd_parse(const uint8_t *answer, unsigned index, sd_answer kind, uint32_t *content);

/* Send a command without data; look for its answer. `content` may be NULL; `reg`
 * takes R2's 16 bytes. */
void jc_sd_send(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind);
int jc_sd_take_answer(jc_sd *sd, unsigned index, sd_answer kind, uint32_t *content,
                      uint8_t reg[16]);

/* JC_OK when the card is not busy, JC_ERR_SD_BUSY_TIMEOUT when it has been for
 * 250 ms since `since_us`. */
int jc_sd_ready(jc_sd *sd, uint32_t since_us);

/* Whether repeating may help: the line's fault, not the card's verdict. */
bool jc_sd_is_line_error(int error);

/* Count an error under its kind. */
void jc_sd_count(jc_sd *sd, int error);

/* ---- exchange.c ---------------------------------------------------------- */

enum {
    ASK_PLAIN = 0,
    ASK_APP = 1,  /* CMD55 first */
    ASK_PROBE = 2 /* errors are an answer too: they are not counted */
};

/* Begin one command; of `bytes` (8 or 64) of data. It is tried three times. */
void jc_sd_ask(jc_sd *sd, unsigned index, uint32_t argument, sd_answer kind, unsigned how);
void jc_sd_ask_block(jc_sd *sd, unsigned index, uint32_t argument, uint32_t bytes, unsigned how);

/* Then: content and reg of sd->exchange, or jc_sd_take_block(). */
int jc_sd_answered(jc_sd *sd);
void jc_sd_take_block(const jc_sd *sd, uint8_t *to, uint32_t bytes);

/* ---- identify.c, start.c -------------------------------------------------- */

/* Identify at sd->link.step or, where the card does not support that, the next
 * one that it does. */
void jc_sd_identify_begin(jc_sd *sd);
int jc_sd_identify_poll(jc_sd *sd);

/* Identify at `step`, or the first slower one that works. Afterwards jc_sd_settle()
 * or jc_sd_forget(). */
void jc_sd_start_begin(jc_sd *sd, jc_sd_step step);
int jc_sd_start_poll(jc_sd *sd);

static inline bool jc_sd_is_spi(const jc_sd *sd)
{
    return sd->link.step == JC_SD_STEP_SPI;
}

/* Set up the bus; 0 lanes mean SPI. */
void jc_sd_configure(jc_sd *sd, uint32_t max_hz, unsigned lanes, bool high_speed);

/* Questions of identify.c's list. To ask: false when there is nothing to be asked. To
 * take in the answer: JC_OK, or why identification ends. */
bool jc_sd_ask_for_four_lanes(jc_sd *sd);
int jc_sd_take_four_lanes(jc_sd *sd, int result);
bool jc_sd_ask_for_high_speed(jc_sd *sd);
int jc_sd_take_high_speed(jc_sd *sd, int result);
bool jc_sd_ask_to_switch(jc_sd *sd);
int jc_sd_take_switch(jc_sd *sd, int result);
bool jc_sd_ask_status(jc_sd *sd);
int jc_sd_take_status(jc_sd *sd, int result);

/* The next slower step that the buses and the policy offer, or JC_SD_STEPS. */
jc_sd_step jc_sd_next_step(const jc_sd *sd, jc_sd_step step);

/* Ready for reads; gone. */
void jc_sd_settle(jc_sd *sd);
void jc_sd_forget(jc_sd *sd);

/* ---- recover.c ------------------------------------------------------------ */

/* JC_OK: the card is in the transfer state. JC_ERR_NO_MEDIUM: it does not answer.
 * JC_ERR_SD_BUSY_TIMEOUT, JC_ERR_SD_RESPONSE: only identifying it anew can help. At
 * most 250 ms. */
void jc_sd_recover_begin(jc_sd *sd);
int jc_sd_recover_poll(jc_sd *sd);

/* Afterwards: the error that led there, or what the card has said to be its reason. */
int jc_sd_explain(const jc_sd *sd, int error);

/* ---- read.c, retry.c ------------------------------------------------------- */

/* Ask the card for the request's sectors, from the first one on. */
void jc_sd_send_read(jc_sd *sd);
void jc_sd_start_request(jc_sd *sd);

/* A try of the request failed, or what came before it did: poll on. */
void jc_sd_try_failed(jc_sd *sd, int error);
void jc_sd_repair(jc_sd *sd, int error);

/* Look after a request that is not being read: its card is busy, or under repair. */
int jc_sd_poll_repair(jc_sd *sd);

extern const jc_blockdev_ops jc_sd_device_ops;

#endif
