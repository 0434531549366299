#include "sdio_command.h"

#include "hardware/timer.h"
#include "pico/platform.h"
#include "sdio_machines.h"

enum {
    LEAD_BITS = 16,         /* ones before a command: the 8 clocks that a card may want */
    ANSWER_WITHIN_BITS = 64 /* the standard's Ncr */
};

static struct {
    uint32_t bus_hz;
    uint32_t longest_us; /* a command without an answer is over */
    uint32_t silent_us;  /* a command that has none is over */
    uint32_t sent_us;
    uint32_t answer_bytes;
    uint32_t words_taken;
    uint32_t words[5];
    bool in_flight; /* sent, and neither answered nor given up */
} command;

static inline uint32_t now_us(void)
{
    return timer_hw->timerawl;
}

static void wait_until(uint32_t begin_us, uint32_t duration_us)
{
    while (now_us() - begin_us < duration_us)
        tight_loop_contents();
}

static uint32_t bits_us(uint32_t bits)
{
    return (uint32_t)((uint64_t)bits * 1000000 / command.bus_hz) + 2;
}

void sdio_command_configure(uint32_t bus_hz)
{
    command.bus_hz = bus_hz;
    command.longest_us = bits_us(LEAD_BITS + 48 + ANSWER_WITHIN_BITS + 136 + 16);
    command.silent_us = bits_us(LEAD_BITS + 48 + 8);
    command.in_flight = false;
}

/* ---- sending ----------------------------------------------------------- */

void sdio_command_clocks(void *context, uint32_t count)
{
    (void)context;
    uint32_t words = (count + 31) / 32;
    uint32_t begin_us = now_us();
    pio_sm_put_blocking(SDIO_PIO, SDIO_COMMAND_SM, (words * 32 - 1) << 16);
    for (uint32_t i = 0; i < words; i++)
        pio_sm_put_blocking(SDIO_PIO, SDIO_COMMAND_SM, UINT32_MAX);
    wait_until(begin_us, bits_us(words * 32 + 2));
    sdio_machines_reset(SDIO_COMMAND_MACHINE); /* it waits for an answer that nobody gives */
}

void __not_in_flash_func(sdio_command_send)(void *context, const uint8_t frame[JC_SD_FRAME_BYTES],
                                            uint32_t response_bytes)
{
    (void)context;
    io_wo_32 *fifo = &SDIO_PIO->txf[SDIO_COMMAND_SM];
    uint32_t answer_bits = response_bytes ? response_bytes * 8 - 1 : 1;
    *fifo = (LEAD_BITS + 48 - 1) << 16 | (answer_bits - 1);
    *fifo = 0xffff0000u | (uint32_t)frame[0] << 8 | frame[1];
    *fifo =
        (uint32_t)frame[2] << 24 | (uint32_t)frame[3] << 16 | (uint32_t)frame[4] << 8 | frame[5];
    command.answer_bytes = response_bytes;
    command.words_taken = 0;
    command.in_flight = true;
    command.sent_us = now_us();
}

/* ---- answers ----------------------------------------------------------- */

/* The machine swallowed the start bit, 0: put it back in front, as bytes. */
static inline void unpack_short(uint32_t first, uint32_t last_15_bits, uint8_t *bytes)
{
    bytes[0] = (uint8_t)(first >> 25);
    bytes[1] = (uint8_t)(first >> 17);
    bytes[2] = (uint8_t)(first >> 9);
    bytes[3] = (uint8_t)(first >> 1);
    bytes[4] = (uint8_t)(first << 7 | last_15_bits >> 8);
    bytes[5] = (uint8_t)last_15_bits;
}

static void unpack_long(const uint32_t words[5], uint8_t *bytes) /* four words and 7 bits */
{
    uint32_t last = words[4] << 25;
    bytes[0] = (uint8_t)(words[0] >> 25);
    for (uint32_t i = 1; i < JC_SD_LONG_RESPONSE_BYTES; i++) {
        uint32_t at = (i * 8 - 1) / 32;
        uint32_t shift = (i * 8 - 1) % 32;
        uint32_t next = at + 1 == 4 ? last : at < 4 ? words[at + 1] : 0;
        uint32_t here = at == 4 ? last : words[at];
        uint32_t bits = shift ? here << shift | next >> (32 - shift) : here;
        bytes[i] = (uint8_t)(bits >> 24);
    }
}

static int __attribute__((noinline)) no_answer_yet(void)
{
    if (now_us() - command.sent_us <= command.longest_us)
        return JC_PENDING;
    sdio_machines_reset(SDIO_COMMAND_MACHINE);
    command.in_flight = false;
    return JC_ERR_SD_NO_RESPONSE;
}

/* Longer than the FIFO: taken as it comes. */
static int __attribute__((noinline)) long_response(uint8_t *bytes)
{
    while (command.words_taken < 5 && !pio_sm_is_rx_fifo_empty(SDIO_PIO, SDIO_COMMAND_SM))
        command.words[command.words_taken++] = SDIO_PIO->rxf[SDIO_COMMAND_SM];
    if (command.words_taken < 5)
        return no_answer_yet();
    command.in_flight = false;
    unpack_long(command.words, bytes);
    return JC_OK;
}

static int __attribute__((noinline)) no_response_expected(void)
{
    wait_until(command.sent_us, command.silent_us);
    sdio_machines_reset(SDIO_COMMAND_MACHINE);
    command.in_flight = false;
    return JC_OK;
}

/* The short answers, those of reads, in RAM and without the others' registers. */
int __not_in_flash_func(sdio_command_response)(void *context, uint8_t *bytes)
{
    (void)context;
    if (!command.in_flight)
        return command.answer_bytes == 0 ? JC_OK : JC_ERR_SD_NO_RESPONSE;
    if (command.answer_bytes != JC_SD_FRAME_BYTES)
        return command.answer_bytes == 0 ? no_response_expected() : long_response(bytes);
    if ((SDIO_PIO->flevel >> (SDIO_COMMAND_SM * 8 + PIO_FLEVEL_RX0_LSB) & 15) < 2)
        return no_answer_yet();
    uint32_t first = SDIO_PIO->rxf[SDIO_COMMAND_SM];
    unpack_short(first, SDIO_PIO->rxf[SDIO_COMMAND_SM], bytes);
    command.in_flight = false;
    return JC_OK;
}

void sdio_command_abort(void)
{
    uint8_t ignored[JC_SD_LONG_RESPONSE_BYTES];
    while (command.in_flight)
        sdio_command_response(NULL, ignored); /* which gives up after longest_us */
    sdio_machines_reset(SDIO_COMMAND_MACHINE);
}
