#include "sdio_data.h"

#include "boards/board.h"
#include "hardware/dma.h"
#include "hardware/irq.h"
#include "hardware/sync.h"
#include "hardware/timer.h"
#include "pico/platform.h"
#include "sdio_command.h"
#include "sdio_machines.h"

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
    CHECK_CYCLES = 1600, /* to wake up and check nearly all of a sector in two rounds */
    CHECK_WORDS = 8,     /* are checked at a time */
    WORDS_IN_FLIGHT = 4,
    LAST_WORDS = 8, /* sooner here than the next look at the bus */
    LAST_LOOKS = 40
};

static struct {
    unsigned lanes_log2;
    uint32_t unit_words_log2; /* DMA units per 32-bit word: 0 (words) or 1 (half words) */
    uint32_t control_quiet, control_loud, control_end;
    uint32_t first_words; /* of a sector: its first piece, if it is the last of its run */
    uint32_t blocks, block_words, piece_count;
    piece pieces[PIECES_MAX] __attribute__((aligned(16)));
} data;

/* ---- setting up -------------------------------------------------------- */

/* Ends a wait, no more: one that had to wait may stand for two pieces, so nothing is
 * counted here. */
static void __not_in_flash_func(block_arrived)(void)
{
    dma_hw->ints0 = 1u << BOARD_SD_DMA_DATA;
}

void sdio_data_begin(void)
{
    dma_channel_claim(BOARD_SD_DMA_DATA);
    dma_channel_claim(BOARD_SD_DMA_LIST);
    irq_set_exclusive_handler(DMA_IRQ_0, block_arrived);
    irq_set_enabled(DMA_IRQ_0, true);
}

/* Words of the first piece: checking it and then what has come meanwhile takes as
 * long as the rest and the checksum take to come. */
static uint32_t first_piece_words(const sdio_timing *timing, unsigned lanes)
{
    uint32_t cycles_per_word = 32 / lanes * timing->cycles * timing->divider;
    uint32_t rest = CHECK_CYCLES / cycles_per_word;
    uint32_t surely = SECTOR_WORDS + CHECKSUM_WORDS - rest - WORDS_IN_FLIGHT;
    return surely - surely % CHECK_WORDS + WORDS_IN_FLIGHT;
}

static void configure_data_channel(unsigned lanes)
{
    dma_channel_config c = dma_channel_get_default_config(BOARD_SD_DMA_DATA);
    channel_config_set_transfer_data_size(&c, lanes == 4 ? DMA_SIZE_32 : DMA_SIZE_16);
    channel_config_set_dreq(&c, pio_get_dreq(SDIO_PIO, SDIO_DATA_SM, false));
    channel_config_set_read_increment(&c, false);
    channel_config_set_write_increment(&c, true);
    channel_config_set_bswap(&c, true);
    channel_config_set_chain_to(&c, BOARD_SD_DMA_LIST);
    data.control_loud = c.ctrl;
    channel_config_set_irq_quiet(&c, true);
    data.control_quiet = c.ctrl;
    channel_config_set_irq_quiet(&c, false);
    channel_config_set_chain_to(&c, BOARD_SD_DMA_DATA); /* to itself: the end */
    data.control_end = c.ctrl;
}

static void configure_list_channel(void)
{
    dma_channel_config c = dma_channel_get_default_config(BOARD_SD_DMA_LIST);
    channel_config_set_read_increment(&c, true);
    channel_config_set_write_increment(&c, true);
    channel_config_set_ring(&c, true, 4); /* the data channel's four registers */
    dma_channel_configure(BOARD_SD_DMA_LIST, &c, &dma_hw->ch[BOARD_SD_DMA_DATA].read_addr,
                          data.pieces, 4, false);
}

void sdio_data_configure(const sdio_timing *timing, unsigned lanes)
{
    data.lanes_log2 = lanes == 4 ? 2 : 0;
    data.unit_words_log2 = lanes == 4 ? 0 : 1;
    data.first_words = first_piece_words(timing, lanes);
    configure_data_channel(lanes);
    configure_list_channel();
}

void __not_in_flash_func(sdio_data_stop)(void)
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
    dma_hw->ch[BOARD_SD_DMA_LIST].read_addr = (uintptr_t)data.pieces;
    data.blocks = data.piece_count = 0;
}

/* ---- receiving --------------------------------------------------------- */

static inline piece *add_piece(piece *p, void *to, uint32_t units, uint32_t control)
{
    p->read = &SDIO_PIO->rxf[SDIO_DATA_SM];
    p->write = to;
    p->count = units;
    p->control = control;
    return p + 1;
}

/* A block's data and its checksum; the last block of a run in two pieces, and its
 * checksum is chained to nothing. */
static piece *__not_in_flash_func(add_block)(piece *p, uint32_t *to, uint32_t *checksum, bool last)
{
    const uint32_t shift = data.unit_words_log2;
    uint32_t words = data.block_words;
    if (last && words > data.first_words) {
        p = add_piece(p, to, data.first_words << shift, data.control_loud);
        to += data.first_words;
        words -= data.first_words;
    }
    p = add_piece(p, to, words << shift, data.control_quiet);
    return add_piece(p, checksum, 2 >> shift, last ? data.control_end : data.control_loud);
}

/* The first block's place first, since the data machine must never find its FIFO full
 * (sdio.pio); then the others', sooner than the list channel comes to read them. */
static void __attribute__((noinline)) __not_in_flash_func(start_dma)(const jc_sd_transfer *transfer)
{
    uint32_t *to = transfer->buffer;
    uint32_t blocks = transfer->blocks;
    data.blocks = blocks;
    data.block_words = transfer->block_bytes / 4;
    data.piece_count = 2 * blocks + (data.block_words > data.first_words);
    piece *p = add_block(data.pieces, to, transfer->crc[0], blocks == 1);
    dma_hw->ch[BOARD_SD_DMA_LIST].al1_ctrl |= DMA_CH0_CTRL_TRIG_EN_BITS;
    dma_hw->ch[BOARD_SD_DMA_LIST].al3_read_addr_trig = (uintptr_t)data.pieces;
    if (!transfer->frame)
        SDIO_PIO->irq_force = SDIO_START_FLAG;
    for (uint32_t i = 1; i < blocks; i++) {
        to += data.block_words;
        p = add_block(p, to, transfer->crc[i], i + 1 == blocks);
    }
}

/* What the card waits for comes first. An interrupt in between could take longer than
 * the card does. */
void __not_in_flash_func(sdio_data_receive)(void *context, const jc_sd_transfer *transfer)
{
    uint32_t interrupts = save_and_disable_interrupts();
    sdio_forget_events(); /* only what comes from now on ends a wait */
    SDIO_PIO->irq = SDIO_START_FLAG;
    SDIO_PIO->txf[SDIO_DATA_SM] = transfer->blocks - 1;
    SDIO_PIO->txf[SDIO_DATA_SM] = (transfer->block_bytes * 8 >> data.lanes_log2) + 16 - 1;
    if (transfer->frame)
        sdio_command_send(context, transfer->frame, JC_SD_FRAME_BYTES);
    start_dma(transfer);
    restore_interrupts(interrupts);
}

/* ---- how far it is ----------------------------------------------------- */

static inline bool is_running(unsigned channel)
{
    return (dma_hw->ch[channel].al1_ctrl & DMA_CH0_CTRL_TRIG_BUSY_BITS) != 0;
}

/* Pieces that are complete. The list channel's address tells how many were begun; the last
 * is over when both channels rest, and the list channel does so only after it has started
 * the data channel. */
static inline uint32_t pieces_done(void)
{
    uint32_t begun =
        (dma_hw->ch[BOARD_SD_DMA_LIST].read_addr - (uintptr_t)data.pieces) / sizeof(piece);
    if (begun == data.piece_count && !is_running(BOARD_SD_DMA_LIST) &&
        !is_running(BOARD_SD_DMA_DATA))
        return begun;
    return begun > 0 ? begun - 1 : 0;
}

/* Another look would take longer than the last few words do. */
static inline bool wait_for_last_words(void)
{
    for (uint32_t i = 0; i < LAST_LOOKS; i++)
        if (pieces_done() == data.piece_count)
            return true;
    return false;
}

/* Words of the last block that have surely come, of which the first piece has. The channel
 * counts what is left of the second piece, and between the two it says 0. */
static inline uint32_t last_block_words(uint32_t left, bool second_done)
{
    uint32_t words = left == 0 ? data.first_words : data.block_words - left;
    return (second_done ? data.block_words : words) - WORDS_IN_FLIGHT;
}

void __not_in_flash_func(sdio_data_progress)(void *context, jc_sd_progress *progress)
{
    (void)context;
    uint32_t done = pieces_done(); /* first: what is left belongs to this piece or a later one */
    uint32_t left = dma_hw->ch[BOARD_SD_DMA_DATA].transfer_count >> data.unit_words_log2;
    uint32_t last = data.blocks - 1;
    bool first_done = done < data.piece_count && (data.piece_count & 1) && done > 2 * last;
    if (first_done && left <= LAST_WORDS && wait_for_last_words())
        done = data.piece_count;
    progress->error = JC_OK;
    progress->blocks = done == data.piece_count ? data.blocks : done / 2 < last ? done / 2 : last;
    progress->bytes = 0;
    if (first_done && done < data.piece_count)
        progress->bytes = last_block_words(left, done > 2 * last + 1) * 4;
    progress->now_us = timer_hw->timerawl;
}
