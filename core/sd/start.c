/*
 * Identification, at the fastest step that works.
 */
#include <stddef.h>

#include "sd_internal.h"

enum { ATTEMPTS = 3 }; /* a disturbance may confuse the sequence */

jc_sd_step jc_sd_next_step(const jc_sd *sd, jc_sd_step step)
{
    for (step++; step <= sd->policy.slowest && step < JC_SD_STEPS; step++)
        if (step == JC_SD_STEP_SPI ? sd->spi != NULL : sd->native != NULL)
            return step;
    return JC_SD_STEPS;
}

static void begin_at(jc_sd *sd, jc_sd_step step)
{
    sd->starting.step = sd->link.step = step;
    sd->starting.attempts_left = ATTEMPTS;
    sd->stats.starts++;
    jc_sd_identify_begin(sd);
}

void jc_sd_start_begin(jc_sd *sd, jc_sd_step step)
{
    if (sd->stats.starts > 0)
        sd->bus->ops->abort(sd->bus->context);
    sd->open = sd->stopping = false;
    sd->starting.error = JC_ERR_NO_MEDIUM;
    begin_at(sd, step);
}

/* A block has been tried three times already, in the same place of the sequence. */
static bool is_worth_another_attempt(int error)
{
    return jc_sd_is_line_error(error) && error != JC_ERR_SD_DATA_CRC &&
           error != JC_ERR_SD_DATA_TIMEOUT;
}

/* Where to go on after a failure: a card that said what is wrong will say it again,
 * and one that failed before its lanes and clock were set, natively, will do so at
 * every native step. It may be in SPI mode. */
static jc_sd_step step_after(const jc_sd *sd, int error)
{
    if (error != JC_ERR_NO_MEDIUM && !jc_sd_is_line_error(error))
        return JC_SD_STEPS;
    bool alike = !sd->identification.at_speed && sd->starting.step < JC_SD_STEP_SPI;
    return jc_sd_next_step(sd, alike ? JC_SD_STEP_SPI - 1 : sd->starting.step);
}

/* What a card says about itself explains more than answers that get lost, and those
 * more than silence. */
static bool says_more(int error, int than)
{
    return than == JC_ERR_NO_MEDIUM || (jc_sd_is_line_error(than) && error != JC_ERR_NO_MEDIUM);
}

int jc_sd_start_poll(jc_sd *sd)
{
    int result = jc_sd_identify_poll(sd);
    if (result == JC_PENDING || result == JC_OK)
        return result;
    sd->bus->ops->abort(sd->bus->context);
    if (is_worth_another_attempt(result) && --sd->starting.attempts_left > 0) {
        sd->link.step = sd->starting.step;
        jc_sd_identify_begin(sd);
        return JC_PENDING;
    }
    if (says_more(result, sd->starting.error))
        sd->starting.error = result;
    jc_sd_step next = step_after(sd, result);
    if (next == JC_SD_STEPS)
        return sd->starting.error;
    begin_at(sd, next);
    return JC_PENDING;
}

void jc_sd_settle(jc_sd *sd)
{
    sd->state = JC_SD_READY;
    sd->device.sector_count = sd->card.sector_count;
    sd->open = sd->stopping = false;
    sd->last_end = UINT32_MAX;
    sd->trouble = 0;
    sd->wary = false;
}

void jc_sd_forget(jc_sd *sd)
{
    sd->state = JC_SD_ABSENT;
    sd->device.sector_count = 0;
    sd->open = sd->stopping = false;
}
