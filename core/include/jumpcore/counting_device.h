/*
 * counting_device.h - what an operation costs: a block device that passes reads
 * on to another one and counts them.
 */
#ifndef JUMPCORE_COUNTING_DEVICE_H
#define JUMPCORE_COUNTING_DEVICE_H

#include "jumpcore/blockdev.h"

typedef struct jc_counting_device {
    const jc_blockdev *inner; /* the caller's */
    uint64_t reads;           /* submitted reads: commands to a card */
    uint64_t sectors;         /* sectors asked for by them */
    uint64_t errors;          /* reads that failed, at submit or at poll */
} jc_counting_device;

/* Count from zero. Set the figures to zero between operations at will. */
jc_blockdev jc_counting_device_begin(jc_counting_device *counting, const jc_blockdev *inner);

#endif
