/* fixture.h - a hand-made image behind a counting device, mounted. */
#ifndef JUMPCORE_TESTS_VOLUME_FIXTURE_H
#define JUMPCORE_TESTS_VOLUME_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "image.h"
#include "jumpcore/counting_device.h"
#include "jumpcore/ram_device.h"

typedef struct fixture {
    image img;
    jc_ram_device ram;
    jc_blockdev inner;
    jc_counting_device counting;
    jc_blockdev device;
    jc_volume volume;
} fixture;

static inline int remount(fixture *f, uint32_t partition)
{
    f->inner = jc_ram_device_begin(&f->ram, f->img.data, f->img.device_sectors);
    f->device = jc_counting_device_begin(&f->counting, &f->inner);
    return jc_volume_mount(&f->volume, &f->device, partition);
}

static inline void setup(fixture *f, jc_fs fs, uint32_t lba, uint32_t clusters,
                         uint32_t per_cluster)
{
    image_format(&f->img, fs, lba, clusters, per_cluster, 40);
}

static inline void teardown(fixture *f)
{
    image_free(&f->img);
}

static inline int has_problem(const fixture *f, int error)
{
    for (uint32_t i = 0; i < f->volume.info.problem_count; i++)
        if (f->volume.info.problems[i] == error)
            return 1;
    return 0;
}

static inline void put32(uint8_t *p, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

#endif
