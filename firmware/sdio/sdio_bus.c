#include "sdio_bus.h"

#include "boards/board.h"
#include "hardware/dma.h"
#include "hardware/gpio.h"
#include "hardware/irq.h"
#include "hardware/pio.h"
#include "hardware/sync.h"
#include "hardware/timer.h"
#include "pico/platform.h"
#include "sdio_program.h"

enum {
    COMMAND_SM = 0,
    DATA_SM = 1,
    MACHINES = 1 << COMMAND_SM | 1 << DATA_SM,
    START_FLAG = 4,         /* PIO interrupt by which commands start the data machine */
    LEAD_BITS = 16,         /* ones before a command: the 8 clocks that a card may want */
    ANSWER_WITHIN_BITS = 64 /* the standard's Ncr */
};

/* A DMA descriptor: what the list channel writes to the data channel. */
typedef struct piece {
    const volatile void *read;
    void *write;
    uint32_t count;
    uint32_t control;
} piece;

enum { PIECES_MAX = 2 * JC_SD_CHUNK_BLOCKS + 1 };

/* The last block comes in two pieces, so that its first part is being checked
 * while the rest arrives, and the check is over soon after the last word. */
enum {
    SECTOR_WORDS = JC_SECTOR_BYTES / 4,
    CHECKSUM_WORDS = 2,
    CHECK_CYCLES = 1200, /* to wake up and check nearly all of a sector in two rounds */
    CHECK_WORDS = 8,     /* are checked at a time */
    WORDS_IN_FLIGHT = 4,
    LAST_WORDS = 8,
    LAST_LOOKS = 40
};

static struct {
    uint32_t sys_hz;
    sdio_timing timing;
    sdio_programs programs;
    unsigned lanes, lanes_log2;
    uint32_t longest_us; /* a command without an answer is over */
    uint32_t silent_us;  /* a command that has none is over */
    uint32_t sent_us;
    uint32_t answer_bytes; /* still to come when > 0 */
    uint32_t words_taken;
    uint32_t answer[5];
    uint32_t blocks, block_words, first_words;
    volatile uint32_t loud_done; /* loud pieces that are complete, counted by the interrupt */
    uint32_t unit_words_log2;    /* DMA units per 32-bit word: 0 (words) or 1 (half words) */
    uint32_t control_quiet, control_loud, control_end;
    piece pieces[PIECES_MAX] __attribute__((aligned(16)));
} bus;

static PIO const pio = pio0;

static uint32_t __not_in_flash_func(now_us)(void *context)
{
    (void)context;
    return timer_hw->timerawl;
}

/* Both machines back to where they rest, CLK low. */
static void __not_in_flash_func(reset_machines)(uint32_t mask)
{
    pio->ctrl &= ~(mask << PIO_CTRL_SM_ENABLE_LSB);
    pio->ctrl |= mask << PIO_CTRL_SM_RESTART_LSB;
    for (uint32_t sm = 0; sm < 2; sm++) {
        if ((mask >> sm & 1) == 0)
            continue;
        uint32_t shiftctrl = pio->sm[sm].shiftctrl; /* a FIFO mode change empties both */
        pio->sm[sm].shiftctrl = shiftctrl ^ PIO_SM0_SHIFTCTRL_FJOIN_RX_BITS;
        pio->sm[sm].shiftctrl = shiftctrl;
        uint32_t offset = sm == COMMAND_SM ? bus.programs.command_offset : bus.programs.data_offset;
        pio->sm[sm].instr = pio_encode_jmp(offset);
    }
    pio->sm[COMMAND_SM].instr = pio_encode_nop() | pio_encode_sideset_opt(1, 0);
    pio->irq = 1u << START_FLAG;
    pio->ctrl |= mask << PIO_CTRL_SM_ENABLE_LSB;
}

static void __not_in_flash_func(stop_dma)(void)
{
    const uint32_t both = 1u << BOARD_SD_DMA_DATA | 1u << BOARD_SD_DMA_LIST;
    /* RP2040-E13: an abort may raise the interrupt of a channel that is not done. */
    dma_hw->inte0 &= ~both;
    dma_hw->ch[BOARD_SD_DMA_DATA].al1_ctrl &= ~DMA_CH0_CTRL_TRIG_EN_BITS;
    dma_hw->ch[BOARD_SD_DMA_LIST].al1_ctrl &= ~DMA_CH0_CTRL_TRIG_EN_BITS;
    dma_hw->abort = both;
    while (dma_hw->abort & both)
        tight_loop_contents();
    dma_hw->ints0 = both;
    dma_hw->inte0 |= 1u << BOARD_SD_DMA_DATA;
    bus.blocks = bus.loud_done = 0;
}

static void __not_in_flash_func(bus_abort)(void *context)
{
    (void)context;
    stop_dma();
    reset_machines(MACHINES);
    pio_sm_set_consecutive_pindirs(pio, COMMAND_SM, BOARD_SD_CMD, 1, false);
    bus.answer_bytes = 0;
}

/* ---- setting up -------------------------------------------------------- */

static void take_pins(void)
{
    const uint32_t card_pins = BOARD_PIN(BOARD_SD_CMD) | 15u << BOARD_SD_DAT0;
    for (uint32_t pin = 0; pin < BOARD_PIN_COUNT; pin++) {
        if ((BOARD_SD_PINS >> pin & 1) == 0)
            continue;
        gpio_set_pulls(pin, (card_pins >> pin & 1) != 0, false);
        gpio_set_slew_rate(pin, GPIO_SLEW_RATE_FAST);
        gpio_set_drive_strength(pin, GPIO_DRIVE_STRENGTH_8MA);
        pio_gpio_init(pio, pin);
    }
    pio_sm_set_pins_with_mask(pio, COMMAND_SM, 0, BOARD_PIN(BOARD_SD_CLK));
    pio_sm_set_pindirs_with_mask(pio, COMMAND_SM, BOARD_PIN(BOARD_SD_CLK), BOARD_SD_PINS);
}

static void configure_machines(void)
{
    pio_sm_config command = bus.programs.command;
    sm_config_set_out_pins(&command, BOARD_SD_CMD, 1);
    sm_config_set_set_pins(&command, BOARD_SD_CMD, 1);
    sm_config_set_in_pins(&command, BOARD_SD_CMD);
    sm_config_set_jmp_pin(&command, BOARD_SD_CMD);
    sm_config_set_sideset_pins(&command, BOARD_SD_CLK);
    sm_config_set_out_shift(&command, false, true, 32);
    sm_config_set_in_shift(&command, false, true, 32);
    sm_config_set_clkdiv_int_frac(&command, (uint16_t)bus.timing.divider, 0);
    pio_sm_init(pio, COMMAND_SM, bus.programs.command_offset, &command);

    /* One lane's blocks are no whole number of words: they move in half words. */
    pio_sm_config data = bus.programs.data;
    sm_config_set_in_pins(&data, BOARD_SD_DAT0);
    sm_config_set_jmp_pin(&data, BOARD_SD_DAT0);
    sm_config_set_sideset_pins(&data, BOARD_SD_CLK);
    sm_config_set_out_shift(&data, false, false, 32);
    sm_config_set_in_shift(&data, false, true, bus.lanes == 4 ? 32 : 16);
    sm_config_set_clkdiv_int_frac(&data, (uint16_t)bus.timing.divider, 0);
    pio_sm_init(pio, DATA_SM, bus.programs.data_offset, &data);

    pio_clkdiv_restart_sm_mask(pio, MACHINES); /* in step with each other */
    pio_set_sm_mask_enabled(pio, MACHINES, true);
}

static uint32_t bits_us(uint32_t bits)
{
    return (uint32_t)((uint64_t)bits * 1000000 / bus.timing.hz) + 2;
}

/* Words of the first piece: checking it and then what has come meanwhile takes as
 * long as the rest and the checksum take to come. */
static uint32_t first_piece_words(void)
{
    uint32_t cycles_per_word = 32 / bus.lanes * bus.timing.cycles * bus.timing.divider;
    uint32_t rest = CHECK_CYCLES / cycles_per_word;
    uint32_t surely = SECTOR_WORDS + CHECKSUM_WORDS - rest - WORDS_IN_FLIGHT;
    return (surely - surely % CHECK_WORDS) + WORDS_IN_FLIGHT;
}

static void configure_dma(void)
{
    dma_channel_config data = dma_channel_get_default_config(BOARD_SD_DMA_DATA);
    channel_config_set_transfer_data_size(&data, bus.lanes == 4 ? DMA_SIZE_32 : DMA_SIZE_16);
    channel_config_set_dreq(&data, pio_get_dreq(pio, DATA_SM, false));
    channel_config_set_read_increment(&data, false);
    channel_config_set_write_increment(&data, true);
    channel_config_set_bswap(&data, true);
    channel_config_set_chain_to(&data, BOARD_SD_DMA_LIST);
    bus.control_loud = data.ctrl;
    channel_config_set_irq_quiet(&data, true);
    bus.control_quiet = data.ctrl;
    channel_config_set_irq_quiet(&data, false);
    channel_config_set_chain_to(&data, BOARD_SD_DMA_DATA); /* to itself: the end */
    bus.control_end = data.ctrl;

    dma_channel_config list = dma_channel_get_default_config(BOARD_SD_DMA_LIST);
    channel_config_set_read_increment(&list, true);
    channel_config_set_write_increment(&list, true);
    channel_config_set_ring(&list, true, 4); /* the data channel's four registers */
    dma_channel_configure(BOARD_SD_DMA_LIST, &list, &dma_hw->ch[BOARD_SD_DMA_DATA].read_addr,
                          bus.pieces, 4, false);
}

static uint32_t bus_configure(void *context, uint32_t max_hz, unsigned lanes, bool high_speed)
{
    (void)context;
    pio_set_sm_mask_enabled(pio, MACHINES, false);
    stop_dma();
    bus.timing = sdio_timing_for(bus.sys_hz, max_hz, high_speed);
    bus.lanes = lanes;
    bus.first_words = first_piece_words();
    bus.lanes_log2 = lanes == 4 ? 2 : 0;
    bus.unit_words_log2 = lanes == 4 ? 0 : 1;
    bus.programs = sdio_program_load(pio, &bus.timing, lanes);
    bus.longest_us = bits_us(LEAD_BITS + 48 + ANSWER_WITHIN_BITS + 136 + 16);
    bus.silent_us = bits_us(LEAD_BITS + 48 + 8);
    take_pins();
    configure_machines();
    configure_dma();
    bus.answer_bytes = 0;
    return bus.timing.hz;
}

/* ---- commands ---------------------------------------------------------- */

static void wait_until(uint32_t begin_us, uint32_t duration_us)
{
    while (now_us(NULL) - begin_us < duration_us)
        tight_loop_contents();
}

static void bus_clocks(void *context, uint32_t count)
{
    (void)context;
    uint32_t words = (count + 31) / 32;
    uint32_t begin_us = now_us(NULL);
    pio_sm_put_blocking(pio, COMMAND_SM, (words * 32 - 1) << 16);
    for (uint32_t i = 0; i < words; i++)
        pio_sm_put_blocking(pio, COMMAND_SM, UINT32_MAX);
    wait_until(begin_us, bits_us(words * 32 + 2));
    reset_machines(1u << COMMAND_SM); /* it waits for an answer that nobody gives */
}

static void __not_in_flash_func(bus_send)(void *context, const uint8_t frame[JC_SD_FRAME_BYTES],
                                          uint32_t response_bytes)
{
    (void)context;
    uint32_t answer_bits = response_bytes ? response_bytes * 8 - 1 : 1;
    bus.answer_bytes = response_bytes;
    bus.words_taken = 0;
    pio->txf[COMMAND_SM] = (LEAD_BITS + 48 - 1) << 16 | (answer_bits - 1);
    pio->txf[COMMAND_SM] = 0xffff0000u | (uint32_t)frame[0] << 8 | frame[1];
    pio->txf[COMMAND_SM] =
        (uint32_t)frame[2] << 24 | (uint32_t)frame[3] << 16 | (uint32_t)frame[4] << 8 | frame[5];
    bus.sent_us = now_us(NULL);
}

/* The machine swallowed the start bit, 0: put it back in front, as bytes. */
static void __not_in_flash_func(unpack_short)(uint8_t *bytes)
{
    uint32_t first = bus.answer[0];
    uint32_t rest = bus.answer[1]; /* 15 bits */
    bytes[0] = (uint8_t)(first >> 25);
    bytes[1] = (uint8_t)(first >> 17);
    bytes[2] = (uint8_t)(first >> 9);
    bytes[3] = (uint8_t)(first >> 1);
    bytes[4] = (uint8_t)(first << 7 | rest >> 8);
    bytes[5] = (uint8_t)rest;
}

static void unpack_long(uint8_t *bytes)
{
    const uint32_t *words = bus.answer; /* four words and 7 bits */
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

static int no_answer_yet(void)
{
    if (now_us(NULL) - bus.sent_us <= bus.longest_us)
        return JC_PENDING;
    reset_machines(1u << COMMAND_SM);
    return JC_ERR_SD_NO_RESPONSE;
}

static int __not_in_flash_func(short_response)(uint8_t *bytes)
{
    if ((pio->flevel >> (COMMAND_SM * 8 + PIO_FLEVEL_RX0_LSB) & 15) < 2)
        return no_answer_yet();
    bus.answer[0] = pio->rxf[COMMAND_SM];
    bus.answer[1] = pio->rxf[COMMAND_SM];
    unpack_short(bytes);
    return JC_OK;
}

/* Longer than the FIFO: taken as it comes. */
static int long_response(uint8_t *bytes)
{
    while (bus.words_taken < 5 && !pio_sm_is_rx_fifo_empty(pio, COMMAND_SM))
        bus.answer[bus.words_taken++] = pio->rxf[COMMAND_SM];
    if (bus.words_taken < 5)
        return no_answer_yet();
    unpack_long(bytes);
    return JC_OK;
}

static int no_response_expected(void)
{
    if (bus.sent_us == 0)
        return JC_OK;
    wait_until(bus.sent_us, bus.silent_us);
    bus.sent_us = 0;
    reset_machines(1u << COMMAND_SM);
    return JC_OK;
}

static int __not_in_flash_func(bus_response)(void *context, uint8_t *bytes)
{
    (void)context;
    if (bus.answer_bytes == JC_SD_FRAME_BYTES)
        return short_response(bytes);
    return bus.answer_bytes == 0 ? no_response_expected() : long_response(bytes);
}

/* The processor remembers one event: take it, so that the next wait is one. */
static inline void forget_events(void)
{
    __sev();
    __wfe();
}

/* ---- data -------------------------------------------------------------- */

static piece *__not_in_flash_func(add_piece)(piece *p, void *to, uint32_t units, uint32_t control)
{
    p->read = &pio->rxf[DATA_SM];
    p->write = to;
    p->count = units;
    p->control = control;
    return p + 1;
}

/* A block's data and its checksum; the last block of a run in two pieces, and its
 * checksum is chained to nothing. */
static piece *__not_in_flash_func(add_block)(piece *p, uint32_t *to, uint32_t *checksum, bool last)
{
    const uint32_t shift = bus.unit_words_log2;
    uint32_t words = bus.block_words;
    if (last && words > bus.first_words) {
        p = add_piece(p, to, bus.first_words << shift, bus.control_loud);
        to += bus.first_words;
        words -= bus.first_words;
    }
    p = add_piece(p, to, words << shift, bus.control_quiet);
    return add_piece(p, checksum, 2 >> shift, last ? bus.control_end : bus.control_loud);
}

/* In this order: what the card waits for; the first block's place, since the data
 * machine must never find its FIFO full (sdio.pio); then there is time. */
static void __not_in_flash_func(bus_receive)(void *context, const jc_sd_transfer *transfer)
{
    uint32_t *to = transfer->buffer;
    uint32_t blocks = transfer->blocks;
    forget_events(); /* only what comes from now on ends a wait */
    pio->irq = 1u << START_FLAG;
    pio->txf[DATA_SM] = blocks - 1;
    pio->txf[DATA_SM] = (transfer->block_bytes * 8 >> bus.lanes_log2) + 16 - 1;
    if (transfer->frame)
        bus_send(context, transfer->frame, JC_SD_FRAME_BYTES);
    bus.blocks = blocks;
    bus.block_words = transfer->block_bytes / 4;
    bus.loud_done = 0;
    piece *p = add_block(bus.pieces, to, transfer->crc[0], blocks == 1);
    dma_hw->ch[BOARD_SD_DMA_LIST].al1_ctrl |= DMA_CH0_CTRL_TRIG_EN_BITS;
    dma_hw->ch[BOARD_SD_DMA_LIST].al3_read_addr_trig = (uintptr_t)bus.pieces;
    if (!transfer->frame)
        pio->irq_force = 1u << START_FLAG;
    for (uint32_t i = 1; i < blocks; i++) {
        to += bus.block_words;
        p = add_block(p, to, transfer->crc[i], i + 1 == blocks);
    }
}

/* Words of the last block's second piece, or of its checksum, that have yet to come.
 * Between two pieces 0. */
static inline uint32_t words_to_come(void)
{
    return dma_hw->ch[BOARD_SD_DMA_DATA].transfer_count >> bus.unit_words_log2;
}

/* Another look would take longer than the last few words do. */
static inline void wait_for_last_words(uint32_t loud)
{
    for (uint32_t i = 0; i < LAST_LOOKS && bus.loud_done == loud; i++)
        tight_loop_contents();
}

/* Loud pieces end in this order: the checksum of each block but the last, then the
 * last one's first piece (when it is in two), then its checksum. */
static void __not_in_flash_func(bus_progress)(void *context, jc_sd_progress *progress)
{
    (void)context;
    uint32_t loud = bus.loud_done;
    bool last = loud == bus.blocks && bus.block_words > bus.first_words;
    uint32_t left = 0;
    if (last) {
        left = words_to_come();
        if (left <= LAST_WORDS) {
            wait_for_last_words(loud);
            loud = bus.loud_done;
        }
    }
    progress->now_us = timer_hw->timerawl;
    progress->error = JC_OK;
    progress->blocks = loud;
    progress->bytes = 0;
    if (loud > bus.blocks) {
        progress->blocks = bus.blocks;
    } else if (last) {
        progress->blocks = bus.blocks - 1;
        progress->bytes =
            (left == 0 ? bus.first_words : bus.block_words - left) * 4 - WORDS_IN_FLIGHT * 4;
    }
}

static bool __not_in_flash_func(bus_busy)(void *context)
{
    (void)context;
    return !gpio_get(BOARD_SD_DAT0);
}

static void __not_in_flash_func(block_arrived)(void)
{
    dma_hw->ints0 = 1u << BOARD_SD_DMA_DATA;
    bus.loud_done++;
}

static void __not_in_flash_func(wait_is_over)(void)
{
    timer_hw->intr = 1u << BOARD_WAIT_ALARM;
}

/* Until the next interrupt: a block, the console, or 1 ms. */
static void __not_in_flash_func(bus_wait)(void *context)
{
    (void)context;
    timer_hw->alarm[BOARD_WAIT_ALARM] = timer_hw->timerawl + 1000;
    __wfe();
    forget_events(); /* the interrupt that woke us left one more; we look next anyway */
}

const jc_sd_bus *sdio_bus_begin(uint32_t sys_hz)
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
                                      .now_us = now_us};
    static const jc_sd_bus native = {.ops = &ops, .context = NULL};
    bus.sys_hz = sys_hz;
    dma_channel_claim(BOARD_SD_DMA_DATA);
    dma_channel_claim(BOARD_SD_DMA_LIST);
    pio_claim_sm_mask(pio, MACHINES);
    irq_set_exclusive_handler(DMA_IRQ_0, block_arrived);
    irq_set_enabled(DMA_IRQ_0, true);
    hardware_alarm_claim(BOARD_WAIT_ALARM);
    irq_set_exclusive_handler(TIMER_ALARM_IRQ_NUM(timer_hw, BOARD_WAIT_ALARM), wait_is_over);
    hw_set_bits(&timer_hw->inte, 1u << BOARD_WAIT_ALARM);
    irq_set_enabled(TIMER_ALARM_IRQ_NUM(timer_hw, BOARD_WAIT_ALARM), true);
    bus_configure(NULL, 400000, 1, false);
    return &native;
}

void sdio_bus_release(void)
{
    pio_set_sm_mask_enabled(pio, MACHINES, false);
    stop_dma();
}
