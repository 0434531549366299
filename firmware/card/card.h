/*
 * card.h - the card in the socket: its coming and going, the volume on it, its
 * samples. One owner: core 0.
 */
#ifndef JUMPCORE_FIRMWARE_CARD_H
#define JUMPCORE_FIRMWARE_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "jumpcore/error.h"
#include "jumpcore/file.h"
#include "jumpcore/sd.h"
#include "jumpcore/volume.h"

enum { CARD_EXTENTS = 1024, CARD_PATH_BYTES = 256 };

typedef struct card {
    jc_sd sd;
    uint32_t generation; /* changes whenever a card comes or goes */
    int start_error;     /* why there is no card: JC_ERR_NO_MEDIUM, ... */
    int mount_error;     /* JC_OK when `volume` is mounted */
    jc_volume volume;

    /* the file opened last */
    jc_file file;
    char path[CARD_PATH_BYTES];
    jc_extent extents[CARD_EXTENTS];
} card;

extern card the_card;

typedef enum card_event {
    CARD_NOTHING_NEW,
    CARD_CAME,   /* there is a card now */
    CARD_FAILED, /* something is there but cannot be used: start_error */
    CARD_WENT,   /* it was removed */
    CARD_SLOWED  /* it had to be stepped down: sd.link */
} card_event;

/* JC_OK when there is a card to be read, else why not. */
int card_error(void);

void card_begin(uint32_t sys_hz, uint32_t default_hz);

/* Look after the card; call when no read is in flight, a few times a second or
 * more often. Blocks for up to a second when a card comes. */
card_event card_task(void);

static inline bool card_is_ready(void)
{
    return the_card.sd.device.sector_count > 0;
}

/* Open a file by its path for reading: the_card.file. JC_OK or why not. */
int card_open(const char *path);

/* Open the first WAV file of `least_bytes` (1 or more) in the order of the card,
 * directories after the files beside them, hidden ones and damaged ones left out.
 * JC_ERR_NOT_FOUND when there is none; why the volume cannot be used; or what
 * went wrong with the card on the way: there may be one all the same. */
int card_open_first_sample(uint64_t least_bytes);

/* Whether it was the card that did not give what was asked for, and not what is on it. */
static inline bool card_is_to_blame(int error)
{
    return error <= JC_ERR_IO && error > JC_ERR_NO_FILE_SYSTEM;
}

#endif
