/*
 * main.c - core 0: the card, the console, and rest in between.
 */
#include <inttypes.h>
#include <stdio.h>

#include "boards/board.h"
#include "card/card.h"
#include "console/console.h"
#include "hardware/sync.h"
#include "hardware/timer.h"
#include "player/player.h"
#include "system/clocks.h"

#ifndef JUMPCORE_BUS_HZ
#define JUMPCORE_BUS_HZ 25000000 /* default speed, the standard's limit */
#endif

enum { REST_US = 1000 };

static console consoles[2];

static void tell(const char *text)
{
    for (unsigned i = 0; i < sizeof consoles / sizeof consoles[0]; i++)
        console_notice(&consoles[i], text);
}

static void tell_event(card_event event)
{
    char text[160];
    const jc_sd_link *link = &the_card.sd.link;
    switch (event) {
    case CARD_CAME:
        snprintf(text, sizeof text, "card: %s %s, %" PRIu32 " MB, %s at %" PRIu32 " kHz",
                 jc_sd_manufacturer(the_card.sd.card.manufacturer_id), the_card.sd.card.product,
                 (uint32_t)((uint64_t)the_card.sd.card.sector_count * JC_SECTOR_BYTES / 1000000),
                 jc_sd_step_name(link->step), link->clock_hz / 1000);
        tell(text);
        if (link->step == JC_SD_STEP_SPI)
            tell(jc_error_text(JC_ERR_SD_SPI_ONLY));
        if (the_card.mount_error != JC_OK)
            tell(jc_error_text(the_card.mount_error));
        player_card_came(tell);
        break;
    case CARD_FAILED:
        tell(jc_error_text(the_card.start_error));
        break;
    case CARD_WENT:
        tell("the card was removed");
        break;
    case CARD_SLOWED:
        snprintf(text, sizeof text,
                 "the card made too many errors: now %s at %" PRIu32 " kHz (stats tells which)",
                 jc_sd_step_name(link->step), link->clock_hz / 1000);
        tell(text);
        break;
    case CARD_NOTHING_NEW:
        break;
    }
}

static void rest(void)
{
    timer_hw->alarm[BOARD_WAIT_ALARM] = timer_hw->timerawl + REST_US;
    __wfe();
}

static void serve_player(void)
{
    player_serve();
}

int main(void)
{
    uint32_t sys_hz = clocks_begin();
    console_begin(&consoles[0], uart_port_begin());
    console_begin(&consoles[1], usb_port_begin());
    card_begin(sys_hz, JUMPCORE_BUS_HZ);
    player_begin(sys_hz);
    port_meanwhile = serve_player;
    for (;;) {
        usb_port_task();
        for (unsigned i = 0; i < sizeof consoles / sizeof consoles[0]; i++)
            console_task(&consoles[i]);
        bool reading = player_serve();
        player_report(tell);
        if (!reading)
            tell_event(card_task());
        rest();
    }
}
