#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jumpcore/random.h"

/* Computed by hand from the published xoshiro128** 1.1: state {1, 2, 3, 4}
 * gives rotl(2 * 5, 7) * 9 = 11520 first, then 0 (s[1] becomes 0). */
static void the_generator_is_xoshiro128_star_star(void **unused)
{
    (void)unused;
    jc_random rng = {{1, 2, 3, 4}};
    assert_int_equal(jc_random_u32(&rng), 11520);
    assert_int_equal(jc_random_u32(&rng), 0);
}

static void equal_seeds_give_equal_draws_and_others_do_not(void **unused)
{
    (void)unused;
    jc_random a, b, c;
    jc_random_seed(&a, 7);
    jc_random_seed(&b, 7);
    jc_random_seed(&c, 8);
    int same = 0;
    for (int i = 0; i < 1000; i++) {
        uint32_t draw = jc_random_u32(&a);
        assert_int_equal(draw, jc_random_u32(&b));
        same += draw == jc_random_u32(&c);
    }
    assert_true(same < 3);
}

static void bounded_draws_stay_below_and_reach_every_value(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 1);
    assert_int_equal(jc_random_below(&rng, 0), 0);
    assert_int_equal(jc_random_below(&rng, 1), 0);
    int hits[10] = {0};
    for (int i = 0; i < 10000; i++)
        hits[jc_random_below(&rng, 10)]++;
    for (int i = 0; i < 10; i++) /* 1000 expected, standard deviation 30 */
        assert_in_range(hits[i], 850, 1150);
    const uint64_t large = ((uint64_t)5 << 32) + 3;
    int above_32_bits = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t draw = jc_random_below(&rng, large);
        assert_true(draw < large);
        above_32_bits += draw > UINT32_MAX;
    }
    assert_in_range(above_32_bits, 700, 900); /* 4/5 expected */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_xoshiro128_star_star),
        cmocka_unit_test(equal_seeds_give_equal_draws_and_others_do_not),
        cmocka_unit_test(bounded_draws_stay_below_and_reach_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
