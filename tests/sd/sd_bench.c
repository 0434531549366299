#include "sd_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bench the_bench;

bench *bench_insert(jc_sd_kind kind)
{
    bench *b = &the_bench;
    memset(b, 0, sizeof *b);
    sd_card_model_begin(&b->card, kind);
    b->native = sd_card_model_bus(&b->card);
    jc_sd_spi_begin(&b->spi, &sd_card_model_port, &b->card);
    jc_sd_begin(&b->sd, &b->native, &b->spi.bus, NULL);
    return b;
}

bench *bench_start(jc_sd_kind kind)
{
    bench *b = bench_insert(kind);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    return b;
}

bench *bench_start_spi(jc_sd_kind kind)
{
    bench *b = bench_insert(kind);
    b->card.spi_only = true;
    sd_card_model_power_cycle(&b->card);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
    assert_int_equal(b->sd.link.step, JC_SD_STEP_SPI);
    return b;
}

void bench_reinsert(bench *b)
{
    b->card.inserted = true;
    b->card.fault.count = 0;
    sd_card_model_power_cycle(&b->card);
    assert_int_equal(jc_sd_start(&b->sd), JC_OK);
}

static void note_call(bench *b, uint32_t begin_us)
{
    uint32_t took_us = b->card.now_us - begin_us;
    if (took_us > b->slowest_call_us)
        b->slowest_call_us = took_us;
}

static int poll_once(bench *b)
{
    if (b->polls_left == 1)
        b->card.inserted = false;
    if (b->polls_left > 0)
        b->polls_left--;
    uint32_t begin_us = b->card.now_us;
    int result = jc_blockdev_poll(&b->sd.device);
    note_call(b, begin_us);
    return result;
}

int bench_read(bench *b, uint32_t lba, uint32_t sectors, uint8_t *buffer)
{
    uint32_t begin_us = b->card.now_us;
    int result = jc_blockdev_submit(&b->sd.device, lba, sectors, buffer);
    note_call(b, begin_us);
    if (result != JC_OK)
        return result;
    while ((result = poll_once(b)) == JC_PENDING)
        b->sd.device.ops->wait(b->sd.device.context);
    if (b->card.now_us - begin_us > b->slowest_us)
        b->slowest_us = b->card.now_us - begin_us;
    return result;
}

int bench_read_right(bench *b, uint32_t lba, uint32_t sectors, unsigned misalign)
{
    static uint8_t memory[64 * 512 + 16];
    uint8_t expected[512];
    uint8_t *buffer = memory + 4 + misalign;
    assert_in_range(sectors, 1, 64);
    memset(memory, 0xa5, sizeof memory);
    int result = bench_read(b, lba, sectors, buffer);
    for (uint32_t i = 0; result == JC_OK && i < sectors; i++) {
        sd_card_model_sector(&b->card, lba + i, expected);
        assert_memory_equal(buffer + (size_t)i * 512, expected, 512);
    }
    for (uint8_t *byte = memory; byte < buffer; byte++)
        assert_int_equal(*byte, 0xa5);
    assert_int_equal(buffer[(size_t)sectors * 512], 0xa5);
    return result;
}

uint32_t bench_errors(const bench *b, int error)
{
    return b->sd.stats.errors[JC_ERR_SD_NO_RESPONSE - error];
}

uint32_t bench_all_errors(const bench *b)
{
    uint32_t sum = 0;
    for (int i = 0; i < JC_SD_ERROR_KINDS; i++)
        sum += b->sd.stats.errors[i];
    return sum;
}
