#include "path.h"

#include "jumpcore/engine.h"
#include "jumpcore/hot.h"

static JC_HOT uint64_t region(const jc_path *path)
{
    return path->hi - path->lo;
}

/* Whether the first leg ends at the region's far end and not at the sample's. */
static JC_HOT bool meets_region(const jc_path *path)
{
    if (path->mode == JC_LOOP_OFF)
        return false;
    return path->reverse ? path->start >= path->lo : path->start < path->hi;
}

JC_HOT uint64_t jc_path_first_run(const jc_path *path)
{
    bool meets = meets_region(path);
    if (path->reverse)
        return path->start + 1 - (meets ? path->lo : 0);
    return (meets ? path->hi : path->frame_count) - path->start;
}

/* The cycle of a forward loop, `phase` frames after it was entered. */
static JC_HOT jc_path_place round_place(const jc_path *path, uint64_t phase)
{
    uint64_t into = phase % region(path);
    return (jc_path_place){.frame = path->reverse ? path->hi - 1 - into : path->lo + into,
                           .run = region(path) - into,
                           .reverse = path->reverse,
                           .seam = !path->bare};
}

/* The cycle of a ping-pong loop: `phase` 0 is at lo, going up; the turning frames
 * lo and hi - 1 are played once each. */
static JC_HOT jc_path_place pingpong_place(const jc_path *path, uint64_t phase)
{
    uint64_t top = region(path) - 1;
    if (top == 0)
        return (jc_path_place){.frame = path->lo, .run = 1};
    uint64_t into = phase % (2 * top);
    if (into < top)
        return (jc_path_place){.frame = path->lo + into, .run = top - into};
    return (jc_path_place){
        .frame = path->lo + 2 * top - into, .run = 2 * top - into, .reverse = true};
}

JC_HOT jc_path_place jc_path_at(const jc_path *path, uint64_t distance)
{
    uint64_t first = jc_path_first_run(path);
    bool meets = meets_region(path);
    if (distance < first) {
        return (jc_path_place){.frame =
                                   path->reverse ? path->start - distance : path->start + distance,
                               .run = first - distance,
                               .reverse = path->reverse,
                               .seam = meets ? path->mode == JC_LOOP_FORWARD && !path->bare
                                             : path->mode != JC_LOOP_OFF};
    }
    uint64_t beyond = distance - first;
    if (path->mode == JC_LOOP_OFF)
        return (jc_path_place){0};
    if (path->mode == JC_LOOP_FORWARD)
        return round_place(path, beyond);

    /* The frame before was hi - 1 (lo in reverse) when the leg met the region;
     * otherwise the region is entered at its near end. */
    uint64_t top = region(path) - 1;
    uint64_t entry = path->reverse ? (meets ? 1 : top) : (meets ? top + 1 : 0);
    return pingpong_place(path, entry + beyond);
}

JC_HOT bool jc_path_period(const jc_path *path, uint64_t *period, uint64_t *steady)
{
    if (path->mode == JC_LOOP_OFF)
        return false;
    *period = region(path);
    if (path->mode == JC_LOOP_PINGPONG)
        *period = region(path) > 1 ? 2 * (region(path) - 1) : 1;
    /* One round for the seam by which the region is entered, one that repeats. */
    *steady = jc_path_first_run(path) + 2 * *period;
    return true;
}
