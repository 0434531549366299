/*
 * fault_device.h - a block device that misbehaves on purpose, the same way for
 * the same seed: errors, slow reads, reads that stop half way, flipped bits.
 *
 * Wraps any other device. Each read draws its fate when it is submitted, so it
 * does not depend on how often it is polled.
 */
#ifndef JUMPCORE_FAULT_DEVICE_H
#define JUMPCORE_FAULT_DEVICE_H

#include <stdbool.h>

#include "jumpcore/blockdev.h"
#include "jumpcore/random.h"

/* Chances are per read, in units of 1 / 65,536; 65,536 is always. */
enum { JC_FAULT_ALWAYS = 65536 };

typedef struct jc_fault_rates {
    uint32_t error;       /* the read ends with error_code */
    uint32_t short_read;  /* only some of the sectors arrive, then error_code */
    uint32_t flip;        /* one bit of the data is wrong, and no error says so */
    uint32_t delay;       /* poll() says JC_PENDING 1 .. delay_polls times more */
    uint32_t delay_polls; /* at least 1 where delay is not 0 */
    int error_code;       /* e.g. JC_ERR_IO */
    uint32_t bad_lba;     /* reads that touch [bad_lba, + bad_sectors) always */
    uint32_t bad_sectors; /* end with error_code; 0: no such place */
} jc_fault_rates;

typedef struct jc_fault_device {
    const jc_blockdev *inner; /* the caller's */
    jc_fault_rates rates;     /* may be changed between reads */
    jc_random random;
    uint64_t faults; /* reads that got an error or a flipped bit */

    /* the read in flight */
    uint8_t *buffer; /* NULL: none */
    uint32_t polls_left;
    uint32_t flip_bit; /* UINT32_MAX: none */
    bool fails;
} jc_fault_device;

jc_blockdev jc_fault_device_begin(jc_fault_device *fault, const jc_blockdev *inner,
                                  const jc_fault_rates *rates, uint32_t seed);

#endif
