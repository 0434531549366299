#include "describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "boards/board.h"
#include "card/card.h"
#include "hardware/clocks.h"

/* One line; the formats come from two places in this program. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void __attribute__((format(printf, 4, 5))) say(const port *p, const char *format,
                                                      const char *key, const char *value, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, value);
    vsnprintf(text, sizeof text, value, arguments);
    va_end(arguments);
    port_print(p, format, key, text);
}

static void say_register(const port *p, const char *format, const char *key, const uint8_t reg[16])
{
    char hex[33];
    for (unsigned i = 0; i < 16; i++)
        snprintf(hex + 2 * i, 3, "%02x", reg[i]);
    say(p, format, key, "%s", hex);
}

static void describe_classes(const port *p, const char *format, const jc_sd_card *c)
{
    if (c->speed_class)
        say(p, format, "card_speed_class", "%u", c->speed_class);
    if (c->uhs_grade)
        say(p, format, "card_uhs_grade", "%u", c->uhs_grade);
    if (c->video_class)
        say(p, format, "card_video_class", "%u", c->video_class);
    if (c->application_class)
        say(p, format, "card_application_class", "%u", c->application_class);
}

void describe_card(const port *p, const char *format)
{
    const jc_sd_card *c = &the_card.sd.card;
    uint64_t capacity_bytes = (uint64_t)c->sector_count * JC_SECTOR_BYTES;
    say(p, format, "card", "%s %s %" PRIu32 " MB", jc_sd_manufacturer(c->manufacturer_id),
        c->product, (uint32_t)(capacity_bytes / 1000000));
    say(p, format, "card_type", "SD");
    say(p, format, "card_kind", "%s", jc_sd_kind_name(c->kind));
    say(p, format, "card_maker", "0x%02x", c->manufacturer_id);
    say(p, format, "card_oem", "%s", c->oem);
    say(p, format, "card_product", "%s", c->product);
    say(p, format, "card_revision", "%u.%u", c->revision_major, c->revision_minor);
    say(p, format, "card_date", "%02u/%u", c->month, c->year);
    say(p, format, "card_specification", "%u.%u", c->version_major, c->version_minor);
    describe_classes(p, format, c);
    say(p, format, "serial", "0x%08" PRIx32, c->serial);
    say_register(p, format, "cid", c->cid);
    say_register(p, format, "csd", c->csd);
    say(p, format, "capacity_bytes", "%llu", (unsigned long long)capacity_bytes);
}

void describe_bus(const port *p, const char *format)
{
    const jc_sd_link *link = &the_card.sd.link;
    uint32_t sys_hz = clock_get_hz(clk_sys);
    say(p, format, "firmware", "jumpcore %s", JUMPCORE_VERSION);
    say(p, format, "board", "%s, %s", PICO_BOARD, BOARD_NAME);
    say(p, format, "system_clock_hz", "%" PRIu32, sys_hz);
    if (!card_is_ready())
        return;
    uint32_t tenths = (uint32_t)(((uint64_t)sys_hz * 10 + link->clock_hz / 2) / link->clock_hz);
    say(p, format, "bus", "%s", link->step == JC_SD_STEP_SPI ? "spi" : "sdio");
    say(p, format, "bus_mode", "%s", jc_sd_step_name(link->step));
    say(p, format, "bus_width_bits", "%u", link->lanes);
    say(p, format, "bus_clock_hz", "%" PRIu32, link->clock_hz);
    say(p, format, "bus_divider", "%" PRIu32 ".%" PRIu32, tenths / 10, tenths % 10);
}

void describe_stats(const port *p, const char *format)
{
    const jc_sd_stats *s = &the_card.sd.stats;
    const struct {
        const char *key;
        uint32_t value;
    } counters[] = {
        {"sd_reads", s->reads},      {"sd_failed", s->failed},     {"sd_retries", s->retries},
        {"sd_sectors", s->sectors},  {"sd_commands", s->commands}, {"sd_continued", s->continued},
        {"sd_steps_down", s->steps}, {"sd_starts", s->starts},
    };
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++)
        port_print(p, format, counters[i].key, counters[i].value);
    for (int i = 0; i < JC_SD_ERROR_KINDS; i++) {
        char key[32];
        if (s->errors[i] == 0)
            continue;
        snprintf(key, sizeof key, "sd_error_%s", jc_sd_error_name(JC_ERR_SD_NO_RESPONSE - i));
        port_print(p, format, key, s->errors[i]);
    }
}
