/*
 * From one lane at 400 kHz to the lanes and the clock of a step.
 */
#include "sd_internal.h"

#define CLASS_SWITCH (1u << 10)
#define SWITCH_ASK 0x00fffff1u /* CMD6: is high speed there? */
#define SWITCH_SET 0x80fffff1u

enum { SWITCH_STATUS_BYTES = 64, SD_STATUS_BYTES = 64 };

void jc_sd_configure(jc_sd *sd, uint32_t max_hz, unsigned lanes, bool high_speed)
{
    sd->link.clock_hz = sd->bus->ops->configure(sd->bus->context, max_hz, lanes, high_speed);
    sd->link.lanes = lanes == 0 ? 1 : lanes; /* for checksums */
}

bool jc_sd_ask_for_four_lanes(jc_sd *sd)
{
    sd->identification.at_speed = true;
    if (sd->link.step >= JC_SD_STEP_ONE_LANE)
        return false;
    if (sd->card.four_lanes)
        jc_sd_ask(sd, ACMD6_SET_BUS_WIDTH, 2, ANSWER_R1, ASK_APP);
    else
        sd->link.step = JC_SD_STEP_ONE_LANE;
    return sd->card.four_lanes;
}

/* What the SCR promised, the card may refuse. */
int jc_sd_take_four_lanes(jc_sd *sd, int result)
{
    if (result == JC_OK || jc_sd_is_line_error(result))
        return result;
    sd->link.step = JC_SD_STEP_ONE_LANE;
    return JC_OK;
}

/* The step's clock; that of high speed before the card has switched. */
static void set_clock(jc_sd *sd)
{
    enum { SLOW_HZ = 12500000 };
    const uint32_t default_hz = sd->policy.default_hz;
    const uint32_t slow_hz = default_hz < SLOW_HZ ? default_hz : SLOW_HZ;
    switch (sd->link.step) {
    case JC_SD_STEP_HIGH_SPEED:
        jc_sd_configure(sd, 25000000, 4, false);
        break;
    case JC_SD_STEP_DEFAULT:
        jc_sd_configure(sd, default_hz, 4, false);
        break;
    case JC_SD_STEP_ONE_LANE:
        jc_sd_configure(sd, slow_hz, 1, false);
        break;
    case JC_SD_STEP_SPI:
        jc_sd_configure(sd, slow_hz, 0, false);
        break;
    default:
        jc_sd_configure(sd, slow_hz, 4, false);
    }
}

static void stay_at_default_speed(jc_sd *sd)
{
    sd->link.step = JC_SD_STEP_DEFAULT;
    set_clock(sd);
}

/* CMD6 asks whether high speed is there (mode 0) and switches (mode 1), section 4.3.10. */
bool jc_sd_ask_for_high_speed(jc_sd *sd)
{
    set_clock(sd);
    if (sd->link.step != JC_SD_STEP_HIGH_SPEED)
        return false;
    bool knows_switch = (sd->card.command_classes & CLASS_SWITCH) != 0;
    if (knows_switch)
        jc_sd_ask_block(sd, CMD6_SWITCH_FUNC, SWITCH_ASK, SWITCH_STATUS_BYTES, ASK_PLAIN);
    else
        stay_at_default_speed(sd);
    return knows_switch;
}

/* The function that the switch status (table 4-11) names for group 1. */
static bool chose_high_speed(const uint8_t status[SWITCH_STATUS_BYTES])
{
    return (status[16] & 15u) == 1;
}

int jc_sd_take_high_speed(jc_sd *sd, int result)
{
    uint8_t status[SWITCH_STATUS_BYTES];
    jc_sd_take_block(sd, status, sizeof status);
    bool offered = result == JC_OK && (status[13] & 2u) != 0 && chose_high_speed(status);
    if (result == JC_ERR_NO_MEDIUM)
        return result;
    if (!offered)
        stay_at_default_speed(sd);
    return JC_OK;
}

bool jc_sd_ask_to_switch(jc_sd *sd)
{
    if (sd->link.step != JC_SD_STEP_HIGH_SPEED)
        return false;
    jc_sd_ask_block(sd, CMD6_SWITCH_FUNC, SWITCH_SET, SWITCH_STATUS_BYTES, ASK_PLAIN);
    return true;
}

/* Without its answer nobody knows which edge the card uses now: that is an error. */
int jc_sd_take_switch(jc_sd *sd, int result)
{
    uint8_t status[SWITCH_STATUS_BYTES];
    jc_sd_take_block(sd, status, sizeof status);
    if (result != JC_OK && result != JC_ERR_SD_ILLEGAL)
        return result;
    sd->bus->ops->clocks(sd->bus->context, 8);
    if (result == JC_OK && chose_high_speed(status))
        jc_sd_configure(sd, 50000000, 4, true);
    else
        stay_at_default_speed(sd);
    return JC_OK;
}

/* The SD status is a matter of curiosity, but also a first block at full speed. */
bool jc_sd_ask_status(jc_sd *sd)
{
    jc_sd_ask_block(sd, ACMD13_SD_STATUS, 0, SD_STATUS_BYTES, ASK_APP);
    return true;
}

int jc_sd_take_status(jc_sd *sd, int result)
{
    uint8_t status[SD_STATUS_BYTES];
    jc_sd_take_block(sd, status, sizeof status);
    if (result == JC_OK)
        jc_sd_decode_status(status, &sd->card);
    return jc_sd_is_line_error(result) || result == JC_ERR_NO_MEDIUM ? result : JC_OK;
}
