/*
 * error.h - every way in which jumpcore can fail, as one enum.
 *
 * Functions that can fail return int: JC_OK (0) or a positive result where
 * their header says so, and otherwise one of these negative values.
 * jc_error_text() gives each a sentence for people that says what to do next.
 */
#ifndef JUMPCORE_ERROR_H
#define JUMPCORE_ERROR_H

enum jc_error {
    JC_OK = 0,

    /* general: -1 .. -19 */
    JC_ERR_ARGUMENT = -1, /* a parameter is outside its documented range */
    JC_ERR_NO_SPACE = -2, /* the caller's memory is too small */

    /* block devices and cards: -20 .. -59 */
    JC_ERR_IO = -20,       /* the medium reported an error */
    JC_ERR_RANGE = -21,    /* read beyond the last sector */
    JC_ERR_BUSY = -22,     /* a request is already in flight */
    JC_ERR_NO_MEDIUM = -23 /* no card, or it went away */

    /* volumes: -60 .. -99; samples: -100 .. -119; engine: -120 .. -139 */
};

/* A sentence for people, never NULL; unknown values give a generic sentence. */
const char *jc_error_text(int error);

#endif
