/* Checksums against bit-by-bit calculations and the standard's own examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/random.h"
#include "jumpcore/sd_crc.h"

/* Section 4.5 of the standard: CMD0, CMD17 with argument 0, and its answer. */
static void crc7_gives_the_examples_of_the_standard(void **state)
{
    (void)state;
    assert_int_equal(jc_sd_crc7((const uint8_t[]){0x40, 0, 0, 0, 0}, 5), 0x4a << 1 | 1);
    assert_int_equal(jc_sd_crc7((const uint8_t[]){0x51, 0, 0, 0, 0}, 5), 0x2a << 1 | 1);
    assert_int_equal(jc_sd_crc7((const uint8_t[]){0x11, 0, 0, 9, 0}, 5), 0x33 << 1 | 1);
}

/* Section 4.5: 512 bytes of 0xff have the CRC16 0x7fa1. */
static void crc16_gives_the_example_of_the_standard(void **state)
{
    (void)state;
    uint32_t block[128];
    memset(block, 0xff, sizeof block);
    assert_int_equal(jc_sd_crc16_bytes((const uint8_t *)block, 512), 0x7fa1);
    jc_sd_crc16 crc = {0};
    jc_sd_crc16_begin(&crc, 128, 1);
    uint32_t checksum[2] = {0};
    memcpy(checksum, "\x7f\xa1", 2);
    assert_true(jc_sd_crc16_matches(&crc, block, checksum));
}

static unsigned step(unsigned crc, unsigned bit)
{
    unsigned feedback = (crc >> 15 ^ bit) & 1;
    return (crc << 1 & 0xffff) ^ (feedback ? 0x1021 : 0);
}

/* Lane by lane, bit by bit: the definition. */
static void reference(const uint8_t *bytes, uint32_t count, unsigned lanes, uint8_t out[8])
{
    unsigned crc[4] = {0};
    for (uint32_t i = 0; i < count * 8 / lanes; i++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint32_t bit = i * lanes + (lanes - 1 - lane);
            crc[lane] = step(crc[lane], bytes[bit / 8] >> (7 - bit % 8) & 1u);
        }
    memset(out, 0, 8);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            unsigned bit = i * lanes + (lanes - 1 - lane);
            out[bit / 8] |= (uint8_t)((crc[lane] >> (15 - i) & 1) << (7 - bit % 8));
        }
}

static void crc16_equals_the_definition_however_the_block_arrives(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2, 15, 36, 128};
    jc_random random;
    jc_random_seed(&random, 1);
    for (unsigned round = 0; round < 2000; round++) {
        uint32_t block[128];
        uint32_t words = sizes[round % 4];
        unsigned lanes = round / 4 % 2 ? 4 : 1;
        for (uint32_t i = 0; i < words; i++)
            block[i] = jc_random_u32(&random);
        uint32_t checksum[2];
        reference((const uint8_t *)block, words * 4, lanes, (uint8_t *)checksum);
        jc_sd_crc16 crc = {0};
        jc_sd_crc16_begin(&crc, words, lanes);
        for (uint32_t there = 0; there < words;) {
            there += (uint32_t)jc_random_below(&random, 40);
            if (there > words)
                there = words;
            jc_sd_crc16_take(&crc, block, there);
        }
        assert_true(jc_sd_crc16_matches(&crc, block, checksum));
    }
}

static void crc16_notices_every_single_flipped_bit(void **state)
{
    (void)state;
    uint32_t block[130];
    jc_random random;
    jc_random_seed(&random, 2);
    for (unsigned i = 0; i < 128; i++)
        block[i] = jc_random_u32(&random);
    reference((const uint8_t *)block, 512, 4, (uint8_t *)&block[128]);
    jc_sd_crc16 crc = {0};
    for (unsigned bit = 0; bit < 130 * 32; bit++) {
        block[bit / 32] ^= 1u << bit % 32;
        jc_sd_crc16_begin(&crc, 128, 4);
        assert_false(jc_sd_crc16_matches(&crc, block, &block[128]));
        block[bit / 32] ^= 1u << bit % 32;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc7_gives_the_examples_of_the_standard),
        cmocka_unit_test(crc16_gives_the_example_of_the_standard),
        cmocka_unit_test(crc16_equals_the_definition_however_the_block_arrives),
        cmocka_unit_test(crc16_notices_every_single_flipped_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
