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
    jc_sd_crc16 crc;
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

static void make_random(uint32_t *words, uint32_t count, uint32_t seed)
{
    jc_random random;
    jc_random_seed(&random, seed);
    for (uint32_t i = 0; i < count; i++)
        words[i] = jc_random_u32(&random);
}

static void crc16_equals_the_definition_for_all_lengths(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 4; lanes += 3)
        for (uint32_t words = 1; words <= 128; words++) {
            uint32_t block[128], checksum[2];
            make_random(block, words, words);
            reference((const uint8_t *)block, words * 4, lanes, (uint8_t *)checksum);
            jc_sd_crc16 crc;
            jc_sd_crc16_begin(&crc, words, lanes);
            assert_true(jc_sd_crc16_matches(&crc, block, checksum));
        }
}

static void crc16_equals_the_definition_for_all_chunks(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 4; lanes += 3)
        for (uint32_t chunk = 1; chunk <= 128; chunk++)
            for (uint32_t first = 0; first <= 17; first++) {
                uint32_t block[128], checksum[2];
                make_random(block, 128, chunk);
                reference((const uint8_t *)block, 512, lanes, (uint8_t *)checksum);
                jc_sd_crc16 crc;
                jc_sd_crc16_begin(&crc, 128, lanes);
                for (uint32_t there = first; there <= 128; there += chunk)
                    jc_sd_crc16_take(&crc, block, there);
                assert_true(jc_sd_crc16_matches(&crc, block, checksum));
            }
}

static void crc16_equals_the_definition_in_random_chunks_even_when_told_less(void **state)
{
    (void)state;
    jc_random random;
    jc_random_seed(&random, 1);
    for (unsigned round = 0; round < 4000; round++) {
        uint32_t block[128], checksum[2];
        uint32_t words = 1 + (uint32_t)jc_random_below(&random, 128);
        unsigned lanes = round % 2 ? 4 : 1;
        make_random(block, words, round);
        reference((const uint8_t *)block, words * 4, lanes, (uint8_t *)checksum);
        jc_sd_crc16 crc;
        jc_sd_crc16_begin(&crc, words, lanes);
        for (unsigned i = 0; i < 8; i++)
            jc_sd_crc16_take(&crc, block, (uint32_t)jc_random_below(&random, words + 1));
        assert_true(jc_sd_crc16_matches(&crc, block, checksum));
    }
}

/* The other half word of its memory is not the card's. */
static void crc16_of_one_lane_looks_at_two_bytes_of_checksum(void **state)
{
    (void)state;
    uint32_t block[128], checksum[2];
    make_random(block, 128, 3);
    reference((const uint8_t *)block, 512, 1, (uint8_t *)checksum);
    memset((uint8_t *)checksum + 2, 0xa5, 6);
    jc_sd_crc16 crc;
    jc_sd_crc16_begin(&crc, 128, 1);
    assert_true(jc_sd_crc16_matches(&crc, block, checksum));
}

static void crc16_notices_every_single_flipped_bit(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= 4; lanes += 3) {
        uint32_t block[130];
        make_random(block, 128, 2);
        reference((const uint8_t *)block, 512, lanes, (uint8_t *)&block[128]);
        unsigned bytes = 512 + 2 * lanes;
        for (unsigned bit = 0; bit < bytes * 8; bit++) {
            ((uint8_t *)block)[bit / 8] ^= (uint8_t)(1u << bit % 8);
            jc_sd_crc16 crc;
            jc_sd_crc16_begin(&crc, 128, lanes);
            assert_false(jc_sd_crc16_matches(&crc, block, &block[128]));
            ((uint8_t *)block)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc7_gives_the_examples_of_the_standard),
        cmocka_unit_test(crc16_gives_the_example_of_the_standard),
        cmocka_unit_test(crc16_equals_the_definition_for_all_lengths),
        cmocka_unit_test(crc16_equals_the_definition_for_all_chunks),
        cmocka_unit_test(crc16_equals_the_definition_in_random_chunks_even_when_told_less),
        cmocka_unit_test(crc16_of_one_lane_looks_at_two_bytes_of_checksum),
        cmocka_unit_test(crc16_notices_every_single_flipped_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
