/* make_results READS: a results file of that many reads on standard output, the
 * same one each time: three humps of latency and a rare spike. */
#include <stdio.h>
#include <stdlib.h>

#include "input/results_file.h"
#include "jumpcore/random.h"

static uint32_t draw_latency_us(jc_random *rng)
{
    static const uint32_t HUMPS_US[] = {370, 620, 1100};
    if (jc_random_below(rng, 100000) == 0)
        return 10000 + (uint32_t)jc_random_below(rng, 30000);
    return HUMPS_US[jc_random_below(rng, 3)] + (uint32_t)jc_random_below(rng, 200);
}

int main(int argc, char **argv)
{
    unsigned long reads = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    jc_random rng;
    uint64_t time_us = 0;
    jc_random_seed(&rng, 1);
    results_write_begin(stdout);
    results_write_field(stdout, "card", "made up");
    results_write_number(stdout, "bytes", 819);
    results_write_columns(stdout);
    for (unsigned long i = 0; i < reads; i++) {
        uint32_t latency_us = draw_latency_us(&rng);
        results_write_row(stdout, time_us, latency_us, 819, NULL);
        time_us += latency_us + 2;
    }
    results_write_field(stdout, "ended", "complete");
    return fflush(stdout) == 0 && reads > 0 ? 0 : 1;
}
