#include "player.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audio.h"
#include "card/card.h"
#include "i2s/i2s_out.h"
#include "jumpcore/hot.h"
#include "pico/time.h"
#include "system/arena.h"
#include "trace.h"

enum {
    SERVE_STEPS = 4, /* of the engine in one go */
    FADE_US = 25000, /* two blocks, and a little */
};

/* What tells one card's file from another's. */
typedef struct identity {
    uint8_t cid[16];
    uint64_t size_bytes;
    uint32_t extent_count, extents_hash;
} identity;

static struct {
    jc_engine *engine; /* NULL: nothing is loaded */
    jc_blockdev device;
    uint32_t generation; /* of the card that the engine may read */
    identity identity;
    jc_file file; /* its extents are below: the card's are those of the file opened last */
    jc_extent extents[CARD_EXTENTS];
    player_info info;
    char path[CARD_PATH_BYTES];
    jc_slice slices[PLAYER_SLICES_MAX];
    bool silenced;   /* a voice ran dry, and that was said */
    uint32_t now_us; /* as the engine was told last */
} player;

/* The card's file, while it is found out whether it can be played. */
static struct {
    jc_sample_format format;
    jc_engine_config config;
    uint32_t slice_count;
    jc_slice slices[PLAYER_SLICES_MAX];
} candidate;

/* ---- the engine's device: the card, as long as it is the right one ------------- */

static bool JC_HOT right_card(void)
{
    return card_is_ready() && the_card.generation == player.generation;
}

static int JC_HOT guarded_submit(void *context, uint32_t lba, uint32_t sectors, void *buffer)
{
    (void)context;
    trace_read_begun(lba, sectors, player.now_us);
    int result = right_card() ? jc_blockdev_submit(&the_card.sd.device, lba, sectors, buffer)
                              : JC_ERR_NO_MEDIUM;
    if (result != JC_OK)
        trace_read_ended(result);
    return result;
}

static int JC_HOT guarded_poll(void *context)
{
    (void)context;
    int result = jc_blockdev_poll(&the_card.sd.device);
    if (result != JC_PENDING)
        trace_read_ended(result);
    return result;
}

static const jc_blockdev_ops guarded = {.submit = guarded_submit, .poll = guarded_poll};

void player_begin(uint32_t sys_hz)
{
    audio_begin(sys_hz);
}

bool player_holds_card(void)
{
    return player.engine != NULL;
}

const player_info *player_loaded(void)
{
    return &player.info;
}

/* ---- loading ------------------------------------------------------------------- */

static identity identify(void)
{
    identity it = {.size_bytes = the_card.file.size_bytes,
                   .extent_count = the_card.file.extent_count,
                   .extents_hash = 2166136261u}; /* FNV-1a, by words */
    memcpy(it.cid, the_card.sd.card.cid, sizeof it.cid);
    for (uint32_t i = 0; i < the_card.file.extent_count; i++) {
        it.extents_hash = (it.extents_hash ^ the_card.extents[i].file_sector) * 16777619u;
        it.extents_hash = (it.extents_hash ^ the_card.extents[i].lba) * 16777619u;
    }
    return it;
}

static bool same_file(const identity *a, const identity *b)
{
    return memcmp(a->cid, b->cid, sizeof a->cid) == 0 && a->size_bytes == b->size_bytes &&
           a->extent_count == b->extent_count && a->extents_hash == b->extents_hash;
}

/* One step of the engine's storage side; JC_PENDING while a read is in flight. */
static int JC_HOT step(void)
{
    player.now_us = time_us_32();
    int result = jc_engine_service(player.engine, player.now_us);
    trace_served(player.now_us);
    return result;
}

/* Two octaves up must be possible for this sample; for one of so high a rate that no
 * window holds its blocks then, as much as is. */
static int configure(uint32_t voices)
{
    const jc_sample_format *format = &candidate.format;
    jc_engine_config *config = &candidate.config;
    *config = jc_engine_defaults(voices);
    config->channels = format->channels;
    config->rate_hz = I2S_OUT_RATE_HZ;
    config->block_frames = I2S_OUT_BLOCK_FRAMES;
    config->samples = 1;
    config->heads = candidate.slice_count;
    config->max_speed = (4 * format->rate_hz + I2S_OUT_RATE_HZ - 1) / I2S_OUT_RATE_HZ;
    if (config->max_speed > JC_ENGINE_SPEED_MAX)
        config->max_speed = JC_ENGINE_SPEED_MAX;
    int result = jc_engine_fit(config, ARENA_BYTES);
    while (result == JC_ERR_NO_SPACE && config->max_speed > 1) {
        config->max_speed--;
        result = jc_engine_fit(config, ARENA_BYTES);
    }
    return result;
}

static int read_sample(char reason[80])
{
    static jc_file_source reader;
    jc_sample sample;
    size_t count = 0;
    jc_byte_source source = jc_file_source_begin(&reader, &the_card.sd.device, &the_card.file);
    int result = jc_sample_open(&source, &sample);
    if (result != JC_OK) {
        jc_sample_reason(&sample, result, reason, 80);
        return result;
    }
    candidate.format = sample.format;
    result = jc_sample_slices(&source, &sample, PLAYER_SLICES, candidate.slices, PLAYER_SLICES_MAX,
                              &count);
    if (result == JC_ERR_NO_SPACE)
        result = jc_sample_slices_equal(sample.format.frame_count, PLAYER_SLICES, candidate.slices,
                                        PLAYER_SLICES_MAX, &count);
    candidate.slice_count = (uint32_t)count;
    return result;
}

/* The read in flight comes to its end; none is begun. */
static void let_read_end(void)
{
    while (player.engine != NULL && step() == JC_PENDING)
        tight_loop_contents();
}

/* Open a file and see whether it can be played; what plays goes on from its windows. */
static int examine(const char *path, uint32_t voices, char reason[80])
{
    let_read_end();
    int result = path ? card_open(path) : card_open_first_sample(1);
    if (result == JC_ERR_NO_SPACE)
        snprintf(reason, 80, "in %" PRIu32 " pieces, more than %d", the_card.file.extent_count,
                 CARD_EXTENTS);
    if (result == JC_OK)
        result = read_sample(reason);
    if (result != JC_OK)
        return result;
    result = configure(voices);
    if (result == JC_ERR_NO_SPACE)
        snprintf(reason, 80, "ask for fewer voices");
    return result;
}

/* The candidate becomes what is loaded. */
static void adopt(void)
{
    player_info *info = &player.info;
    memcpy(player.extents, the_card.extents,
           the_card.file.extent_count * sizeof the_card.extents[0]);
    player.file = the_card.file;
    player.file.extents = player.extents;
    player.identity = identify();
    player.generation = the_card.generation;
    player.device = (jc_blockdev){.ops = &guarded, .sector_count = the_card.sd.device.sector_count};
    memcpy(player.path, the_card.path, sizeof player.path);
    memcpy(player.slices, candidate.slices, sizeof player.slices);
    info->path = player.path;
    info->format = candidate.format;
    info->config = candidate.config;
    info->slices = candidate.slice_count;
    info->begins_with_slice = info->slices > 0 && player.slices[0].start_frame == 0;
    info->arena_bytes = (uint32_t)jc_engine_arena_bytes(&info->config);
    player.silenced = false;
}

static int start_engine(void)
{
    const player_info *info = &player.info;
    jc_engine *engine;
    int result = jc_engine_init(&engine, &info->config, &player.device, arena, ARENA_BYTES);
    if (result == JC_OK)
        result =
            jc_engine_load(engine, 0, &player.file, &info->format, player.slices, info->slices);
    if (result != JC_OK)
        return result;
    player.engine = engine;
    trace_begin(engine, &info->config, &player.file, &info->format);
    audio_start(engine);
    return JC_OK;
}

int player_load(const char *path, uint32_t voices, char reason[80])
{
    reason[0] = '\0';
    int result = examine(path, voices, reason);
    if (result != JC_OK)
        return result;
    player_unload();
    adopt();
    return start_engine();
}

void player_unload(void)
{
    if (player.engine == NULL)
        return;
    trace_end();
    jc_engine_unload(player.engine, 0);
    for (uint32_t begin_us = time_us_32(); time_us_32() - begin_us < FADE_US;)
        step();
    audio_stop();
    jc_sd_cancel(&the_card.sd);
    player.engine = NULL;
    memset(&player.info, 0, sizeof player.info);
}

/* ---- while it plays ------------------------------------------------------------ */

int player_post(jc_command command)
{
    return player.engine ? jc_engine_post(player.engine, command) : JC_ERR_NOT_FOUND;
}

uint32_t player_pause_ms(int32_t cents)
{
    const player_info *info = &player.info;
    uint64_t speed_q16 =
        (uint64_t)(jc_pitch(0, cents).speed_q24 >> 8) * info->format.rate_hz / info->config.rate_hz;
    return (uint32_t)((uint64_t)jc_engine_pause_frames(&info->config, (uint32_t)speed_q16) * 1000 /
                      info->config.rate_hz);
}

void player_count(jc_engine_counters *counters, uint64_t *frames)
{
    jc_engine_count(player.engine, counters);
    *frames = jc_engine_frames(player.engine);
}

bool JC_HOT player_serve(void)
{
    if (player.engine == NULL)
        return false;
    for (int i = 0; i < SERVE_STEPS; i++)
        if (step() == JC_PENDING)
            return true;
    return false;
}

static void report(const jc_event *event, void (*say)(const char *line))
{
    switch (event->kind) {
    case JC_EVENT_SAMPLE_READY:
        say("ready");
        break;
    case JC_EVENT_STARVED:
        if (!player.silenced)
            say("no data from the card in time: faded out until they are back");
        player.silenced = true;
        break;
    case JC_EVENT_RESUMED:
        if (player.silenced)
            say("data are back: playing goes on");
        player.silenced = false;
        break;
    case JC_EVENT_REFUSED:
        say(jc_error_text(event->error));
        break;
    case JC_EVENT_ENDED:
        say("the sample is over");
        break;
    default:
        break;
    }
}

void player_report(void (*say)(const char *line))
{
    jc_event event;
    trace_print();
    while (player.engine != NULL && jc_engine_next_event(player.engine, &event))
        report(&event, say);
}

void player_card_came(void (*say)(const char *line))
{
    if (player.engine == NULL)
        return;
    if (card_open(player.path) == JC_OK) {
        identity now = identify();
        if (same_file(&now, &player.identity)) {
            player.generation = the_card.generation;
            return;
        }
    }
    player_unload();
    say("this card does not hold the sample that was playing: it is unloaded");
}
