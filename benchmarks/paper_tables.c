#include "paper_tables.h"

#include <stdio.h>

/* W. Lu et al., "Bring the BitCODE: Moving Compute and Data in Distributed
 * Heterogeneous Systems", section V. The tables leave the time of the JIT out of their totals.
 */
static const struct {
    const char *table;
    const char *machine;
    double jit_ms;
    double am_us[3]; /* lookup and execution, transmission, total */
    double uncached_us[3];
    double cached_us[3];
} first_calls[] = {
    {"I", "Ookami", 6.59, {0.08, 2.50, 2.58}, {0.10, 5.02, 5.12}, {0.05, 2.62, 2.67}},
    {"II", "Thor BF2", 4.50, {0.01, 1.87, 1.88}, {0.04, 3.45, 3.49}, {0.01, 1.85, 1.86}},
    {"III", "Thor Xeon", 0.83, {0.01, 1.55, 1.56}, {0.01, 3.58, 3.59}, {0.02, 1.51, 1.53}},
};

const paper_rate paper_rates[] = {
    {"IV", "Ookami", "Active Message", "am", 2.58, 1320000},
    {"IV", "Ookami", "Cached Bitcode", "cached", 2.67, 1669000},
    {"IV", "Ookami", "Uncached Bitcode", "uncached", 5.12, 405300},
    {"V", "Thor BF2", "Active Message", "am", 1.88, 974000},
    {"V", "Thor BF2", "Cached Bitcode", "cached", 1.87, 1311000},
    {"V", "Thor BF2", "Uncached Bitcode", "uncached", 3.49, 417300},
    {"VI", "Thor Xeon", "Active Message", "am", 1.56, 6754000},
    {"VI", "Thor Xeon", "Cached Bitcode", "cached", 1.53, 7302000},
    {"VI", "Thor Xeon", "Uncached Bitcode", "uncached", 3.59, 2037000},
};
const size_t paper_rate_count = sizeof paper_rates / sizeof paper_rates[0];

static void print_way(const char *name, const double us[3], double jit_ms)
{
    (void)printf("      %-18s %12.2f %13.2f %8.2f", name, us[0], us[1], us[2]);
    if (jit_ms > 0)
        (void)printf("  and JIT %.2f ms, which the total leaves out", jit_ms);
    (void)printf("\n");
}

void paper_print_first_calls(void)
{
    (void)printf("The Three-Chains paper, TSI between two machines over InfiniBand, us:\n"
                 "table machine            lookup+exec  transmission    total\n");
    for (size_t i = 0; i < sizeof first_calls / sizeof first_calls[0]; i++) {
        (void)printf("%-5s %s\n", first_calls[i].table, first_calls[i].machine);
        print_way("Active Message", first_calls[i].am_us, 0);
        print_way("uncached bitcode", first_calls[i].uncached_us, first_calls[i].jit_ms);
        print_way("cached bitcode", first_calls[i].cached_us, 0);
    }
}
