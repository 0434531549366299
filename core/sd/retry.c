/*
 * What becomes of a request that met an error: the card is brought back to its
 * senses, then asked again, more slowly if need be, or the request is given up.
 */
#include "sd_internal.h"

/* An error weighs as much as eight good reads make up for; four in a row, or one
 * in eight reads for long enough, is more than a good line has. */
enum { TROUBLE_PER_ERROR = 8, TROUBLE_LIMIT = 4 * TROUBLE_PER_ERROR };

static int give_up(jc_sd *sd, int error)
{
    sd->stats.failed++;
    sd->last_end = UINT32_MAX;
    if (error == JC_ERR_NO_MEDIUM)
        jc_sd_forget(sd);
    else
        sd->state = JC_SD_READY;
    return error;
}

/* It may be there, but cannot be used any more: `error` says why. */
static int lose(jc_sd *sd, int error)
{
    int result = give_up(sd, error);
    jc_sd_forget(sd);
    return result;
}

static void remember_card(jc_sd *sd)
{
    for (unsigned i = 0; i < sizeof sd->former_cid; i++)
        sd->former_cid[i] = sd->card.cid[i];
}

static bool is_same_card(const jc_sd *sd)
{
    for (unsigned i = 0; i < sizeof sd->former_cid; i++)
        if (sd->former_cid[i] != sd->card.cid[i])
            return false;
    return true;
}

/* Identify the card anew, in the middle of a request. */
static int start_anew(jc_sd *sd, jc_sd_step step)
{
    remember_card(sd);
    sd->former_step = sd->link.step;
    sd->state = JC_SD_STARTING;
    jc_sd_start_begin(sd, step);
    return JC_PENDING;
}

/* The card is not where it should be and does not go there: CMD0 is stronger. One
 * that comes to nothing again and again is given up. */
static int restart(jc_sd *sd, int error)
{
    jc_sd_count(sd, error);
    sd->error = error;
    if (sd->restarted)
        return give_up(sd, error);
    sd->restarted = true;
    return start_anew(sd, sd->link.step);
}

void jc_sd_repair(jc_sd *sd, int error)
{
    sd->error = error;
    sd->state = JC_SD_RECOVERING;
    jc_sd_recover_begin(sd);
}

void jc_sd_try_failed(jc_sd *sd, int error)
{
    sd->tries_left--;
    jc_sd_repair(sd, error);
}

static int try_again(jc_sd *sd)
{
    sd->stats.retries++;
    sd->state = JC_SD_READING;
    sd->last_end = sd->request_lba + sd->request_sectors;
    jc_sd_start_request(sd);
    return JC_PENDING;
}

/* The card is in the transfer state again: what now? */
static int decide(jc_sd *sd)
{
    sd->error = jc_sd_explain(sd, sd->error);
    jc_sd_count(sd, sd->error);
    bool line = jc_sd_is_line_error(sd->error) && sd->error != JC_ERR_SD_DATA_TIMEOUT;
    if (line)
        sd->trouble += TROUBLE_PER_ERROR;
    if (line && (sd->tries_left == 0 || sd->trouble >= TROUBLE_LIMIT)) {
        jc_sd_step next = jc_sd_next_step(sd, sd->link.step);
        if (next != JC_SD_STEPS)
            return start_anew(sd, next);
        sd->trouble = 0;
    }
    return sd->tries_left > 0 ? try_again(sd) : give_up(sd, sd->error);
}

static int poll_recovering(jc_sd *sd)
{
    int result = jc_sd_recover_poll(sd);
    if (result == JC_PENDING)
        return JC_PENDING;
    if (result == JC_OK)
        return decide(sd);
    jc_sd_count(sd, sd->error);
    return result == JC_ERR_NO_MEDIUM ? give_up(sd, result) : restart(sd, result);
}

static int poll_starting(jc_sd *sd)
{
    int result = jc_sd_start_poll(sd);
    if (result == JC_PENDING)
        return JC_PENDING;
    if (result != JC_OK)
        return lose(sd, result);
    if (!is_same_card(sd))
        return lose(sd, JC_ERR_NO_MEDIUM);
    jc_sd_settle(sd);
    if (sd->link.step != sd->former_step) {
        sd->stats.steps++;
        sd->tries_left = sd->policy.tries;
    }
    return sd->tries_left > 0 ? try_again(sd) : give_up(sd, sd->error);
}

/* The stream before this request is stopped, and the card works on that. */
static int poll_waiting(jc_sd *sd)
{
    int result = jc_sd_ready(sd, sd->progress_us);
    if (result == JC_PENDING)
        return JC_PENDING;
    if (result != JC_OK)
        return restart(sd, result);
    sd->state = JC_SD_READING;
    jc_sd_send_read(sd);
    return JC_PENDING;
}

int jc_sd_poll_repair(jc_sd *sd)
{
    sd->patient = false;
    switch (sd->state) {
    case JC_SD_WAITING:
        return poll_waiting(sd);
    case JC_SD_RECOVERING:
        return poll_recovering(sd);
    case JC_SD_STARTING:
        return poll_starting(sd);
    case JC_SD_ABSENT:
    case JC_SD_READY:
    case JC_SD_READING:
        break;
    }
    return JC_OK;
}
