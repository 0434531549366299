/* Slices: from cue points, from loops, or by equal division. */
#include "wav_internal.h"

enum { CUE_HEADER_BYTES = 4, SMPL_HEADER_BYTES = 36, SMPL_LOOPS_AT = 28, ENTRY_BYTES = 24 };

/* ---- sorting in place, without a heap or recursion -------------------- */

static bool before(const jc_slice *a, const jc_slice *b)
{
    if (a->start_frame != b->start_frame)
        return a->start_frame < b->start_frame;
    return a->length_frames < b->length_frames;
}

static void sift_down(jc_slice *slices, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && before(&slices[child], &slices[child + 1]))
            child++;
        if (!before(&slices[root], &slices[child]))
            return;
        const jc_slice larger = slices[child];
        slices[child] = slices[root];
        slices[root] = larger;
        root = child;
    }
}

/* Heap sort: the order of cue points is the file's, so it may be the worst. */
static void sort(jc_slice *slices, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        sift_down(slices, i - 1, count);
    for (size_t end = count; end > 1; end--) {
        const jc_slice largest = slices[0];
        slices[0] = slices[end - 1];
        slices[end - 1] = largest;
        sift_down(slices, 0, end - 1);
    }
}

static size_t remove_duplicates(jc_slice *slices, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || before(&slices[kept - 1], &slices[i]))
            slices[kept++] = slices[i];
    return kept;
}

/* ---- entries of the two chunks ---------------------------------------- */

/* How many entries a chunk has: as many as it states and as are there. */
static int count_entries(const jc_byte_source *source, const jc_chunk *chunk, uint32_t header_bytes,
                         uint32_t count_at, uint64_t *entries)
{
    uint8_t stated[4];

    *entries = 0;
    if (chunk->bytes < header_bytes)
        return JC_OK;
    int error = source->read(source->context, chunk->offset + count_at, stated, sizeof stated);
    if (error != JC_OK)
        return error;
    const uint64_t present = (chunk->bytes - header_bytes) / ENTRY_BYTES;
    *entries = wav_u32(stated) < present ? wav_u32(stated) : present;
    return JC_OK;
}

/* A cue point becomes a slice of length 1 for now. */
static bool slice_of_cue(const uint8_t *entry, uint64_t frame_count, jc_slice *slice)
{
    static const uint8_t data[4] = {'d', 'a', 't', 'a'};

    for (int i = 0; i < 4; i++)
        if (entry[8 + i] != data[i])
            return false;
    *slice = (jc_slice){wav_u32(entry + 20), 1};
    return slice->start_frame < frame_count;
}

static bool slice_of_loop(const uint8_t *entry, uint64_t frame_count, jc_slice *slice)
{
    const uint64_t start = wav_u32(entry + 8);
    uint64_t end = (uint64_t)wav_u32(entry + 12) + 1; /* the last frame belongs to the loop */

    if (end > frame_count)
        end = frame_count;
    if (start >= end)
        return false;
    *slice = (jc_slice){start, end - start};
    return true;
}

typedef bool (*slice_of_entry)(const uint8_t *entry, uint64_t frame_count, jc_slice *slice);

/* Collect a chunk's entries, sorted and without duplicates. */
static int collect(const jc_byte_source *source, const jc_chunk *chunk, uint32_t header_bytes,
                   uint32_t count_at, slice_of_entry convert, uint64_t frame_count,
                   jc_slice *slices, size_t slots, size_t *count)
{
    uint64_t entries;
    size_t collected = 0;

    *count = 0;
    int error = count_entries(source, chunk, header_bytes, count_at, &entries);
    if (error != JC_OK)
        return error;
    if (entries > slots) {
        *count = (size_t)entries; /* at most 2^32 / 24 */
        return JC_ERR_NO_SPACE;
    }
    for (uint64_t i = 0; i < entries; i++) {
        uint8_t entry[ENTRY_BYTES];
        error = source->read(source->context, chunk->offset + header_bytes + i * ENTRY_BYTES, entry,
                             sizeof entry);
        if (error != JC_OK)
            return error;
        if (convert(entry, frame_count, &slices[collected]))
            collected++;
    }
    sort(slices, collected);
    *count = remove_duplicates(slices, collected);
    return JC_OK;
}

/* ---- public ----------------------------------------------------------- */

int jc_sample_slices_cue(const jc_byte_source *source, const jc_sample *sample, jc_slice *slices,
                         size_t slots, size_t *count)
{
    const uint64_t frame_count = sample->format.frame_count;
    int error = collect(source, &sample->cue, CUE_HEADER_BYTES, 0, slice_of_cue, frame_count,
                        slices, slots, count);

    for (size_t i = 0; error == JC_OK && i < *count; i++) {
        const uint64_t end = i + 1 < *count ? slices[i + 1].start_frame : frame_count;
        slices[i].length_frames = end - slices[i].start_frame;
    }
    return error;
}

int jc_sample_slices_loops(const jc_byte_source *source, const jc_sample *sample, jc_slice *slices,
                           size_t slots, size_t *count)
{
    return collect(source, &sample->smpl, SMPL_HEADER_BYTES, SMPL_LOOPS_AT, slice_of_loop,
                   sample->format.frame_count, slices, slots, count);
}

int jc_sample_slices_equal(uint64_t frame_count, uint32_t parts, jc_slice *slices, size_t slots,
                           size_t *count)
{
    *count = 0;
    if (parts == 0)
        return JC_ERR_ARGUMENT;
    if (parts > frame_count)
        parts = (uint32_t)frame_count;
    *count = parts;
    if (parts > slots)
        return JC_ERR_NO_SPACE;
    for (uint32_t i = 0; i < parts; i++) {
        /* floor(i * frame_count / parts), without needing 96 bits */
        const uint64_t whole = frame_count / parts;
        const uint64_t rest = frame_count % parts;
        const uint64_t start = i * whole + i * rest / parts;
        const uint64_t end = (i + 1ull) * whole + (i + 1ull) * rest / parts;
        slices[i] = (jc_slice){start, end - start};
    }
    return JC_OK;
}

int jc_sample_slices(const jc_byte_source *source, const jc_sample *sample, uint32_t parts,
                     jc_slice *slices, size_t slots, size_t *count)
{
    int error = jc_sample_slices_cue(source, sample, slices, slots, count);

    if (error == JC_OK && *count == 0)
        error = jc_sample_slices_loops(source, sample, slices, slots, count);
    if (error == JC_OK && *count == 0)
        error = jc_sample_slices_equal(sample->format.frame_count, parts, slices, slots, count);
    return error;
}
