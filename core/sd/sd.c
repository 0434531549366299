/*
 * The card's coming and going, as its owner sees it. What is not done while a
 * request is in flight may take its time.
 */
#include <stddef.h>

#include "sd_internal.h"

const jc_sd_policy jc_sd_policy_default = {.default_hz = 25000000,
                                           .fastest = JC_SD_STEP_HIGH_SPEED,
                                           .slowest = JC_SD_STEP_SPI,
                                           .tries = 3};

void jc_sd_begin(jc_sd *sd, const jc_sd_bus *native, const jc_sd_bus *spi,
                 const jc_sd_policy *policy)
{
    *sd = (jc_sd){.device = {.ops = &jc_sd_device_ops, .context = sd},
                  .policy = policy ? *policy : jc_sd_policy_default,
                  .native = native,
                  .spi = spi,
                  .bus = native ? native : spi,
                  .last_end = UINT32_MAX};
}

/* Look until it is over; every `look` is bounded in time. */
static int finish(jc_sd *sd, int (*look)(jc_sd *sd))
{
    int result;
    for (;;) {
        sd->patient = false;
        result = look(sd);
        if (result != JC_PENDING)
            return result;
        if (sd->patient)
            sd->bus->ops->wait(sd->bus->context);
    }
}

int jc_sd_start(jc_sd *sd)
{
    jc_sd_forget(sd);
    jc_sd_step step = sd->policy.fastest;
    if (step == JC_SD_STEP_SPI ? sd->spi == NULL : sd->native == NULL)
        step = jc_sd_next_step(sd, step);
    if (step == JC_SD_STEPS)
        return JC_ERR_ARGUMENT;
    jc_sd_start_begin(sd, step);
    int result = finish(sd, jc_sd_start_poll);
    if (result == JC_OK)
        jc_sd_settle(sd);
    return result;
}

int jc_sd_check(jc_sd *sd)
{
    if (sd->state == JC_SD_ABSENT)
        return JC_ERR_NO_MEDIUM;
    if (sd->state != JC_SD_READY)
        return JC_OK;
    int result = JC_OK;
    if (sd->open) {
        jc_sd_recover_begin(sd);
        result = finish(sd, jc_sd_recover_poll);
    } else {
        jc_sd_ask(sd, CMD13_SEND_STATUS, sd->rca, ANSWER_R1, ASK_PROBE);
        result = finish(sd, jc_sd_answered);
    }
    bool gone = result == JC_ERR_SD_NO_RESPONSE || result == JC_ERR_NO_MEDIUM;
    if (result == JC_OK && !sd->open && (sd->exchange.content & STATUS_SPI_IDLE) != 0)
        gone = jc_sd_is_spi(sd); /* another card, or the same without power */
    if (gone)
        jc_sd_forget(sd);
    return gone ? JC_ERR_NO_MEDIUM : JC_OK;
}

void jc_sd_cancel(jc_sd *sd)
{
    if (sd->state == JC_SD_ABSENT || sd->state == JC_SD_READY)
        return;
    sd->last_end = UINT32_MAX;
    int result = JC_ERR_NO_MEDIUM;
    if (sd->state == JC_SD_STARTING) {
        sd->bus->ops->abort(sd->bus->context);
    } else {
        jc_sd_recover_begin(sd);
        result = finish(sd, jc_sd_recover_poll);
    }
    if (result == JC_OK)
        sd->state = JC_SD_READY;
    else
        jc_sd_forget(sd);
}
