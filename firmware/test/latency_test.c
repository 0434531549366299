#include "latency_test.h"

#include <inttypes.h>
#include <string.h>

#include "card/card.h"
#include "console/describe.h"
#include "hardware/timer.h"
#include "jumpcore/hot.h"
#include "jumpcore/latency.h"
#include "jumpcore/random.h"
#include "pico/time.h"
#include "system/arena.h"

enum {
    PIECES_MAX = 8,
    HOPELESS = 100,          /* failures in a row */
    PRINT_EVERY_US = 100000, /* so that a listener sees how far it is and loses little */
    SECTORS_MAX = TEST_BYTES_MAX / JC_SECTOR_BYTES + 1
};

/* One read; 12 bytes. Its time since the first read has 48 bits: nine years. */
typedef struct row {
    uint32_t time_low_us;
    uint16_t time_high;
    int16_t error;
    uint32_t latency_us;
} row;

static_assert(sizeof(row) == 12, "as many rows as possible");

/* What each part took, summed over all good reads. */
typedef struct parts {
    uint64_t seek_us, command_us, wait_us, data_us, check_us;
} parts;

typedef struct workspace {
    uint32_t sectors[SECTORS_MAX * JC_SECTOR_BYTES / 4];
    jc_recorder recorder;
    parts sums;
    uint32_t row_count;
    row rows[(ARENA_BYTES - sizeof(uint32_t[SECTORS_MAX * JC_SECTOR_BYTES / 4]) -
              sizeof(jc_recorder) - sizeof(parts) - 64) /
             sizeof(row)];
} workspace;

static_assert(sizeof(workspace) <= ARENA_BYTES, "the test's memory fits the arena");

static workspace *const work = (workspace *)arena;

static const char *end_reason;

/* The bus may be slowed down during the test. */
static struct {
    jc_sd_link link; /* now */
    uint32_t changes;
    uint32_t reads; /* begun since the last change */
} bus;

/* ---- one read ---------------------------------------------------------- */

static uint64_t target_bytes(const latency_test_plan *plan)
{
    return plan->whole_card ? (uint64_t)the_card.sd.card.sector_count * JC_SECTOR_BYTES
                            : the_card.file.size_bytes;
}

/* The pieces of one range: of the file, or straight of the card. */
static int JC_HOT plan_read(const latency_test_plan *plan, uint64_t offset, jc_read_piece *pieces,
                            jc_read_plan *read)
{
    if (!plan->whole_card)
        return jc_file_plan(&the_card.file, offset, plan->bytes, pieces, PIECES_MAX, read);
    uint32_t first = (uint32_t)(offset >> 9);
    uint32_t last = (uint32_t)((offset + plan->bytes - 1) >> 9);
    pieces[0] = (jc_read_piece){.lba = first, .sectors = last - first + 1};
    read->piece_count = 1;
    return JC_OK;
}

/* `times` are those of all pieces but the last, which the_card.sd still knows. */
static int JC_HOT read_pieces(const jc_read_piece *pieces, uint32_t count, jc_sd_times *times)
{
    uint8_t *to = (uint8_t *)work->sectors;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            times[i - 1] = the_card.sd.times;
        int result = jc_blockdev_read(&the_card.sd.device, pieces[i].lba, pieces[i].sectors, to);
        if (result != JC_OK)
            return result;
        to += (size_t)pieces[i].sectors * JC_SECTOR_BYTES;
    }
    return JC_OK;
}

/* Microseconds that `sectors` sectors take on the bus. */
static uint32_t sectors_us(uint32_t sectors)
{
    uint32_t clocks = JC_SECTOR_BYTES * 8 / the_card.sd.link.lanes + 18;
    return (uint32_t)((uint64_t)sectors * clocks * 1000000 / the_card.sd.link.clock_hz);
}

/* When what happened in one read, by the microsecond timer. */
typedef struct stamps {
    uint32_t begin_us, planned_us, end_us;
    uint32_t pieces; /* of the file, hence commands */
    jc_sd_times piece[PIECES_MAX - 1];
} stamps;

/* Nothing but the read itself: whoever counts cycles counts those of this function. */
static int JC_HOT __attribute__((noinline)) timed_read(const latency_test_plan *plan,
                                                       uint64_t offset, stamps *t)
{
    jc_read_piece pieces[PIECES_MAX];
    jc_read_plan read;
    read.piece_count = 0; /* an initializer would call memset(), from flash */
    t->begin_us = timer_hw->timerawl;
    int result = plan_read(plan, offset, pieces, &read);
    t->planned_us = timer_hw->timerawl;
    if (result == JC_OK)
        result = read_pieces(pieces, read.piece_count, t->piece);
    t->end_us = timer_hw->timerawl;
    t->pieces = read.piece_count;
    return result;
}

/* Add up the parts of a piece's reading, which began when `before_us` was over. */
static void note_piece(const jc_sd_times *sd, uint32_t before_us)
{
    uint32_t waited_us = sd->first_us - sd->submitted_us;
    uint32_t first_sector_us = sectors_us(1);
    work->sums.command_us += sd->submitted_us - before_us;
    work->sums.wait_us += waited_us > first_sector_us ? waited_us - first_sector_us : 0;
    work->sums.data_us += sd->last_us - sd->first_us + first_sector_us;
    work->sums.check_us += sd->checked_us - sd->last_us;
}

/* Add up the parts of a good read: they make up all of its time. */
static void note_parts(const stamps *t)
{
    work->sums.seek_us += t->planned_us - t->begin_us;
    uint32_t before_us = t->planned_us;
    for (uint32_t i = 0; i < t->pieces; i++) {
        const jc_sd_times *piece = i + 1 < t->pieces ? &t->piece[i] : &the_card.sd.times;
        note_piece(piece, before_us);
        before_us = piece->checked_us;
    }
    work->sums.check_us += t->end_us - before_us;
}

/* `first_us`: when the first read began. */
static int note_read(const latency_test_plan *plan, uint64_t offset, row *r, uint64_t first_us)
{
    stamps t = {0};
    uint64_t now_us = time_us_64();
    int result = timed_read(plan, offset, &t);
    uint64_t time_us = now_us + (uint32_t)(t.begin_us - (uint32_t)now_us) - first_us;
    *r = (row){.time_low_us = (uint32_t)time_us,
               .time_high = (uint16_t)(time_us >> 32),
               .error = (int16_t)result,
               .latency_us = t.end_us - t.begin_us};
    if (result == JC_OK)
        note_parts(&t);
    return result;
}

static uint64_t row_time_us(const row *r)
{
    return (uint64_t)r->time_high << 32 | r->time_low_us;
}

/* ---- what is printed --------------------------------------------------- */

static void print_header(const port *p, const latency_test_plan *plan)
{
    port_print(p, "# jumpcore-results: 1\n");
    describe_card(p, "# %s: %s\n");
    describe_bus(p, "# %s: %s\n");
    if (!plan->whole_card) {
        port_print(p, "# file: %s\n", the_card.path);
        port_print(p, "# file_bytes: %llu\n", (unsigned long long)the_card.file.size_bytes);
        port_print(p, "# fragments: %" PRIu32 "\n", the_card.file.extent_count);
    } else {
        port_print(p, "# whole card, since it has no WAV file of %" PRIu32 " bytes or more\n",
                   plan->bytes);
    }
    port_print(p, "# bytes: %" PRIu32 "\n# seed: %" PRIu32 "\n", plan->bytes, plan->seed);
    port_print(p, "# block_frames: %d\n# rate_hz: %d\n", JC_BLOCK_FRAMES_DEFAULT,
               JC_BLOCK_RATE_HZ_DEFAULT);
    port_print(p, "# reads_planned: %" PRIu32 "\n", plan->reads);
    port_print(p, "time_us,latency_us,bytes,error\n");
}

static void print_rows(const port *p, const latency_test_plan *plan)
{
    for (uint32_t i = 0; i < work->row_count; i++) {
        const row *r = &work->rows[i];
        bool good = r->error == JC_OK;
        port_print(p, "%llu,%" PRIu32 ",%" PRIu32 ",%s\n", (unsigned long long)row_time_us(r),
                   r->latency_us, good ? plan->bytes : 0, good ? "0" : jc_sd_error_name(r->error));
    }
    work->row_count = 0;
}

/* A mean in microseconds with one decimal. */
static void print_mean(const port *p, const char *name, uint64_t sum_us, uint64_t count)
{
    uint64_t tenths = count ? (sum_us * 10 + count / 2) / count : 0;
    port_print(p, "# %s: %llu.%u\n", name, (unsigned long long)(tenths / 10),
               (unsigned)(tenths % 10));
}

/* Between two rows: the read above is the one that led there. */
static void print_bus_change(const port *p)
{
    port_print(p, "# too many errors: from the next row on %s at %" PRIu32 " Hz\n",
               jc_sd_step_name(bus.link.step), bus.link.clock_hz);
}

/* The header says how it began. */
static void print_bus_at_end(const port *p)
{
    port_print(p, "# bus_changes: %" PRIu32 "\n", bus.changes);
    if (bus.changes == 0)
        return;
    port_print(p, "# bus_mode_end: %s\n", jc_sd_step_name(bus.link.step));
    port_print(p, "# bus_width_bits_end: %u\n", bus.link.lanes);
    port_print(p, "# bus_clock_hz_end: %" PRIu32 "\n", bus.link.clock_hz);
    port_print(p, "# bus_reads_end: %" PRIu32 "\n", bus.reads);
}

static void print_end(const port *p)
{
    const jc_recorder *r = &work->recorder;
    uint64_t good = r->episodes.reads;
    port_print(p, "# ended: %s\n", end_reason);
    print_bus_at_end(p);
    print_mean(p, "part_seek_us", work->sums.seek_us, good);
    print_mean(p, "part_command_us", work->sums.command_us, good);
    print_mean(p, "part_wait_us", work->sums.wait_us, good);
    print_mean(p, "part_data_us", work->sums.data_us, good);
    print_mean(p, "part_check_us", work->sums.check_us, good);
    print_mean(p, "mean_us", r->sum_us, good);
    describe_stats(p, "# %s: %" PRIu32 "\n");
    jc_box box;
    jc_assessment verdict;
    jc_recorder_box(r, &box);
    jc_assess(&r->episodes, &box, &verdict);
    port_print(p, "# verdict: %s\n", jc_verdict_name(verdict.verdict));
    port_print(p,
               "# %llu reads, %llu late, %llu failed; median %" PRIu32 " us, 99.9 %% %" PRIu32
               " us, slowest %" PRIu32 " us\n",
               (unsigned long long)good, (unsigned long long)r->episodes.misses,
               (unsigned long long)r->episodes.failed, (uint32_t)box.median_us,
               (uint32_t)box.p999_us, r->max_us);
    port_print(p, "# end of results\n");
}

/* ---- the test ---------------------------------------------------------- */

/* Keys that were pressed during the test are lost: once a test, say so. */
static enum { NOTHING_TYPED, TYPED, TYPED_AND_TOLD } keys;

static bool cancelled(const port *p)
{
    usb_port_task();
    for (int byte; (byte = p->read()) >= 0;) {
        if (byte == ('C' & 31))
            return true;
        if (byte > ' ' && keys == NOTHING_TYPED)
            keys = TYPED;
    }
    return false;
}

static void tell_keys(const port *p)
{
    if (keys != TYPED)
        return;
    port_print(p, "# no command is taken during a test, but ^C ends it\n");
    keys = TYPED_AND_TOLD;
}

/* Whether the last read found the bus one way and left it another. */
static bool bus_changed(void)
{
    const jc_sd_link *link = &the_card.sd.link;
    bus.reads++;
    if (!card_is_ready() || (link->step == bus.link.step && link->clock_hz == bus.link.clock_hz))
        return false;
    bus.link = *link;
    bus.changes++;
    bus.reads = 0;
    return true;
}

void latency_test_run(const port *p, const latency_test_plan *plan)
{
    const uint32_t rows_max = sizeof work->rows / sizeof work->rows[0];
    jc_random random;
    jc_random_seed(&random, plan->seed);
    memset(&work->sums, 0, sizeof work->sums);
    work->row_count = 0;
    memset(&bus, 0, sizeof bus);
    bus.link = the_card.sd.link;
    jc_recorder_begin(&work->recorder, (jc_block){.frames = JC_BLOCK_FRAMES_DEFAULT,
                                                  .rate_hz = JC_BLOCK_RATE_HZ_DEFAULT});
    print_header(p, plan);
    end_reason = "complete";
    keys = NOTHING_TYPED;
    uint64_t positions = target_bytes(plan) - plan->bytes + 1;
    uint64_t first_us = time_us_64();
    uint32_t printed_us = (uint32_t)first_us;
    uint32_t failures = 0;
    for (uint32_t i = 0; i < plan->reads; i++) {
        row *r = &work->rows[work->row_count++];
        int result = note_read(plan, jc_random_below(&random, positions), r, first_us);
        jc_recorder_add(&work->recorder, row_time_us(r), r->latency_us, result != JC_OK);
        failures = result == JC_OK ? 0 : failures + 1;
        if (!card_is_ready())
            end_reason = "lost";
        else if (failures == HOPELESS)
            end_reason = "hopeless";
        else if (cancelled(p))
            end_reason = "interrupted";
        bool changed = bus_changed();
        if (changed || work->row_count == rows_max || time_us_32() - printed_us > PRINT_EVERY_US) {
            print_rows(p, plan);
            if (changed)
                print_bus_change(p);
            tell_keys(p);
            usb_port_task();
            printed_us = time_us_32();
        }
        if (strcmp(end_reason, "complete") != 0)
            break;
    }
    print_rows(p, plan);
    tell_keys(p);
    print_end(p);
}

void speed_test_run(const port *p, uint32_t total_kib)
{
    enum { PIECE_SECTORS = 128 };
    uint32_t sectors = 0;
    uint64_t begin_us = time_us_64();
    for (uint32_t lba = 0; sectors < total_kib * 2; lba += PIECE_SECTORS) {
        if (the_card.sd.device.sector_count - lba < PIECE_SECTORS)
            break;
        int result = jc_blockdev_read(&the_card.sd.device, lba, PIECE_SECTORS, work->sectors);
        if (result != JC_OK) {
            port_print(p, "failed at sector %" PRIu32 ": %s\n", lba, jc_error_text(result));
            return;
        }
        sectors += PIECE_SECTORS;
    }
    uint32_t took_us = (uint32_t)(time_us_64() - begin_us);
    if (took_us == 0 || sectors == 0)
        return;
    uint32_t kb_per_s = (uint32_t)((uint64_t)sectors * JC_SECTOR_BYTES * 1000 / took_us);
    port_print(p,
               "%" PRIu32 " KiB in %" PRIu32 " us: %" PRIu32 " kB/s, %" PRIu32
               " %% of what the bus allows\n",
               sectors / 2, took_us, kb_per_s,
               (uint32_t)((uint64_t)sectors_us(sectors) * 100 / took_us));
}
