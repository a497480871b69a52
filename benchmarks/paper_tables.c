#include "paper_tables.h"

#include <stdio.h>
#include <string.h>

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

/* A row is TSI by one way on one machine; `mode` is that of this program which does the same.
 */
static const struct {
    const char *table;
    const char *machine;
    const char *way;
    const char *mode;
    double latency_us;
    double rate_per_s;
} rates[] = {
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

#define RATES (sizeof rates / sizeof rates[0])

static void print_way(const char *name, const double us[3], double jit_ms)
{
    (void)printf("      %-18s %12.2f %13.2f %8.2f", name, us[0], us[1], us[2]);
    if (jit_ms > 0)
        (void)printf("  and JIT %.2f ms, which the total leaves out", jit_ms);
    (void)printf("\n");
}

void paper_tables_print_first_calls(void)
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

static const json_t *row_of(const json_t *rows, const char *mode)
{
    size_t index;
    const json_t *row;
    json_array_foreach(rows, index, row)
    {
        const char *name = json_string_value(json_object_get(row, "mode"));
        if (name != NULL && strcmp(name, mode) == 0 &&
            json_object_get(row, "latency_ns_p50") != NULL)
            return row;
    }
    return NULL;
}

static double number(const json_t *row, const char *name)
{
    return json_number_value(json_object_get(row, name));
}

void paper_tables_print_rates(const json_t *rows)
{
    (void)printf(
        "\nThe Three-Chains paper, TSI between two machines over InfiniBand, and this run "
        "on one\n%-5s %-10s %-17s %10s %12s    %-9s %10s %12s\n",
        "table", "machine", "method", "latency us", "messages/s", "mode", "latency us",
        "messages/s");
    for (size_t i = 0; i < RATES; i++) {
        (void)printf("%-5s %-10s %-17s %10.2f %12.0f", rates[i].table, rates[i].machine,
                     rates[i].way, rates[i].latency_us, rates[i].rate_per_s);
        const json_t *row = row_of(rows, rates[i].mode);
        if (row != NULL)
            (void)printf("    %-9s %10.3f %12.0f", rates[i].mode,
                         number(row, "latency_ns_p50") / 1e3, number(row, "rate_per_s"));
        (void)printf("\n");
    }
}

json_t *paper_tables_rates(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < RATES; i++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:f, s:f}", "table", rates[i].table, "machine",
                            rates[i].machine, "mode", rates[i].mode, "latency_ns",
                            rates[i].latency_us * 1e3, "rate_per_s", rates[i].rate_per_s));
    return list;
}
