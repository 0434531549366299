#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jumpcore/latency.h"
#include "jumpcore/random.h"
#include "near.h"

static void without_an_event_the_rule_of_three_holds(void **unused)
{
    (void)unused;
    assert_true(jc_rate_upper95(0, 1) == 1);
    assert_true(jc_rate_upper95(0, 2) == 1);
    assert_true(jc_rate_upper95(0, 3) == 1);
    assert_true(jc_rate_upper95(0, 4) == 0.75);
    assert_true(jc_rate_upper95(0, 400) == 0.0075);
    assert_true(jc_rate_upper95(0, 10000000000) == 3e-10);
}

static void without_trials_or_a_good_one_the_bound_is_one(void **unused)
{
    (void)unused;
    assert_true(jc_rate_upper95(0, 0) == 1);
    assert_true(jc_rate_upper95(5, 0) == 1);
    assert_true(jc_rate_upper95(1, 1) == 1);
    assert_true(jc_rate_upper95(400, 400) == 1);
    assert_true(jc_rate_upper95(401, 400) == 1);
    assert_true(jc_rate_upper95(UINT64_MAX, UINT64_MAX) == 1);
}

/* The upper limits at 95 % on the mean of a Poisson variable, from the table
 * in the statistics review of the Review of Particle Physics (Particle Data
 * Group): what n u tends to when n is large. */
static void
for_rare_events_the_bounds_are_the_poisson_limits_of_the_particle_data_group(void **unused)
{
    (void)unused;
    const double mean[] = {3.00, 4.74, 6.30, 7.75, 9.15, 10.51, 11.84, 13.15, 14.43, 15.71, 16.96};
    for (uint64_t events = 0; events < sizeof(mean) / sizeof(mean[0]); events++)
        assert_near(jc_rate_upper95(events, 1000000000) * 1e9, mean[events], 0.0051);
}

/* Solved with mpmath 1.3 at 60 digits: the lower tail summed term by term from
 * gamma functions (no beta integral), Newton's method on its logarithm. */
static void bounds_agree_with_a_table_of_high_precision(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t events;
        uint64_t trials;
        double bound;
    } TABLE[] = {
        {1, 2, 0.97467943448089639},
        {1, 3, 0.86464963782841622},
        {2, 3, 0.9830475724915585},
        {1, 10, 0.39416330243650478},
        {2, 10, 0.50690130106320241},
        {5, 10, 0.77755889899187092},
        {9, 10, 0.9948838031081763},
        {1, 20, 0.21610616420684735},
        {10, 20, 0.6980460887135065},
        {19, 20, 0.99743862122346972},
        {1, 100, 0.046559811453538946},
        {5, 100, 0.10225337764327451},
        {50, 100, 0.58637828536908824},
        {99, 100, 0.99948719858373771},
        {1, 400, 0.011804304453987033},
        {3, 400, 0.019269229283088181},
        {7, 1000, 0.013107715416593315},
        {1, 31415, 0.0001509973533060855},
        {40, 31415, 0.0016571499311759357},
        {30000, 31415, 0.95686725264522746},
        {1, 1000000, 4.7438556382068105e-6},
        {1000, 1000000, 0.0010535748774544361},
        {500000, 1000000, 0.50082292605052295},
        {999999, 1000000, 0.99999994870670693},
        {2, 1080000, 5.8294269452326359e-6},
        {1, 10000000000, 4.7438645175025591e-10},
        {17, 10000000000, 2.5499230072019132e-9},
        {1000, 10000000000, 1.0536031193094799e-7},
        {1000000, 10000000000, 0.00010016463403088869},
        {100000000, 10000000000, 0.010001636763415089},
        {5000000000, 10000000000, 0.500008224318134},
        {9999999995, 10000000000, 0.99999999980298504},
        {9999999999, 10000000000, 0.99999999999487067},
    };
    for (size_t i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++)
        assert_near(jc_rate_upper95(TABLE[i].events, TABLE[i].trials), TABLE[i].bound,
                    1e-13 * TABLE[i].bound);
}

/* P(at most k events in n trials): terms outward from k by their recurrence,
 * until they no longer count, each relative to the term k. */
static long double lower_tail(uint64_t k, uint64_t n, long double p)
{
    long double odds = p / (1 - p);
    long double below = 1;
    long double term = 1;
    for (uint64_t i = k; i > 0 && term > 1e-22L * below; i--)
        below += term *= (long double)i / (long double)(n - i + 1) / odds;
    long double above = 0;
    term = 1;
    for (uint64_t i = k; i < n && (term > 1e-22L * above || i < p * n); i++)
        above += term *= (long double)(n - i) / (long double)(i + 1) * odds;
    return below / (below + above);
}

static void the_tail_at_the_bound_is_five_percent_to_nine_digits(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 1);
    for (int round = 0; round < 400; round++) {
        uint64_t trials = 2 + jc_random_below(&rng, 10000000000u >> jc_random_below(&rng, 33));
        uint64_t most = trials - 1;
        if (most > 1000000)
            most = 1000000; /* keeps the sums of lower_tail() short */
        uint64_t events = 1 + jc_random_below(&rng, most);
        if (round % 2 == 1)
            events = 1 + jc_random_below(&rng, most < 20 ? most : 20);
        double bound = jc_rate_upper95(events, trials);
        assert_true(bound > (double)events / (double)trials && bound < 1);
        assert_true(lower_tail(events, trials, bound * (1 - 1e-9L)) > 0.05L);
        if (bound * (1 + 1e-9L) < 1)
            assert_true(lower_tail(events, trials, bound * (1 + 1e-9L)) < 0.05L);
    }
}

static void more_events_or_fewer_trials_raise_the_bound(void **unused)
{
    (void)unused;
    jc_random rng;
    jc_random_seed(&rng, 2);
    for (int round = 0; round < 500; round++) {
        uint64_t trials = 3 + jc_random_below(&rng, UINT64_MAX >> (1 + jc_random_below(&rng, 60)));
        uint64_t events = 1 + jc_random_below(&rng, trials - 2);
        double bound = jc_rate_upper95(events, trials);
        assert_true(bound >= (double)events / (double)trials);
        assert_true(bound <= 1);
        assert_true(jc_rate_upper95(events + 1, trials) >= bound * (1 - 1e-12));
        assert_true(jc_rate_upper95(events, trials - 1) >= bound * (1 - 1e-12));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_event_the_rule_of_three_holds),
        cmocka_unit_test(without_trials_or_a_good_one_the_bound_is_one),
        cmocka_unit_test(
            for_rare_events_the_bounds_are_the_poisson_limits_of_the_particle_data_group),
        cmocka_unit_test(bounds_agree_with_a_table_of_high_precision),
        cmocka_unit_test(the_tail_at_the_bound_is_five_percent_to_nine_digits),
        cmocka_unit_test(more_events_or_fewer_trials_raise_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
