/* Plays a WAV file, mono or stereo, from memory, jumping to another of its 16 slices every
 * 125 ms: 10 s of raw 16-bit stereo on standard output. On a device the storage is a card, core 0
 * calls jc_engine_service() in a loop, and core 1 hands each block to the DAC. */
#include <stdio.h>

#include "jumpcore/engine.h"
#include "jumpcore/ram_device.h"

static uint8_t card[64 << 20];         /* the file lies on the "card" from sector 0 on */
static uint64_t arena[200 * 1024 / 8]; /* mono needs 111 KB, stereo 200 */
static jc_slice slices[16];

int main(int argc, char **argv)
{
    FILE *wav = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!wav)
        return fputs("usage: jumps SAMPLE.wav >OUT.raw\n", stderr), 2;
    size_t bytes = fread(card, 1, sizeof card, wav);
    fclose(wav);
    uint32_t sectors = (uint32_t)((bytes + JC_SECTOR_BYTES - 1) / JC_SECTOR_BYTES);

    jc_ram_device ram;
    jc_blockdev device = jc_ram_device_begin(&ram, card, sectors);
    jc_extent extent = {.file_sector = 0, .lba = 0}; /* jc_volume_open() makes these */
    jc_file file = {.extents = &extent,
                    .extent_count = 1,
                    .sector_count = sectors,
                    .size_bytes = bytes,
                    .valid_bytes = bytes};

    jc_file_source reader;
    jc_byte_source source = jc_file_source_begin(&reader, &device, &file);
    jc_sample sample;
    size_t count;
    int error = jc_sample_open(&source, &sample);
    if (error == JC_OK)
        error = jc_sample_slices_equal(sample.format.frame_count, 16, slices, 16, &count);

    jc_engine_config config = jc_engine_defaults(1); /* one voice, 44.1 kHz, 441 frames */
    config.channels = error == JC_OK ? sample.format.channels : 1;
    jc_engine *engine;
    if (error == JC_OK)
        error = jc_engine_init(&engine, &config, &device, arena, sizeof arena);
    if (error == JC_OK)
        error = jc_engine_load(engine, 0, &file, &sample.format, slices, (uint32_t)count);
    if (error != JC_OK)
        return fprintf(stderr, "jumps: %s\n", jc_error_text(error)), 1;
    while (jc_engine_sample(engine, 0) != JC_SAMPLE_READY)
        jc_engine_service(engine, 0);

    int16_t block[2 * 441];
    for (uint32_t i = 0; i < 1000; i++) { /* 10 ms each */
        if (i * 10 % 125 < 10)
            jc_engine_post(engine, jc_jump_to_slice(0, 0, i * 7 % (uint32_t)count));
        jc_engine_render(engine, block);
        for (int steps = 0; steps < 16; steps++)
            jc_engine_service(engine, i * 10000);
        fwrite(block, sizeof block, 1, stdout);
    }
    return ferror(stdout) ? 1 : 0;
}
