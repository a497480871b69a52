#include "paper_tables.h"

#include <stdbool.h>
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

/* --- beside this run ---------------------------------------------------------------------- */

#define MACHINES (sizeof first_calls / sizeof first_calls[0])

typedef enum stage { LOOKUP_EXEC, TRANSMISSION, TOTAL, JIT, STAGES } stage;

static const struct {
    const char *way;
    const char *mode;
} ways[] = {{"Active Message", "am"},
            {"Uncached Bitcode", "uncached"},
            {"Cached Bitcode", "cached"},
            {"Native image (the paper has no figures of its binary form)", "image"}};

#define WAYS (sizeof ways / sizeof ways[0])

/* Below 0: the paper has no value. */
static double paper_us(size_t machine, size_t way, stage which)
{
    const double *us = way == 0   ? first_calls[machine].am_us
                       : way == 1 ? first_calls[machine].uncached_us
                       : way == 2 ? first_calls[machine].cached_us
                                  : NULL;
    if (us == NULL || (which == JIT && way != 1))
        return -1;
    return which == JIT ? first_calls[machine].jit_ms * 1e3 : us[which];
}

static double here_us(const overhead_figures *of, stage which)
{
    return which == LOOKUP_EXEC    ? of->lookup_exec_us
           : which == TRANSMISSION ? of->transmission_us
           : which == TOTAL        ? of->total_us
                                   : of->jit_us;
}

static void print_figure(double value, int digits)
{
    if (value < 0)
        (void)printf(" %13s", "-");
    else
        (void)printf(" %13.*f", digits, value);
}

static void print_stage(const overhead_figures *of, size_t way, const char *name, stage which)
{
    (void)printf("  %-22s", name);
    print_figure(here_us(of, which), 3);
    for (size_t i = 0; i < MACHINES; i++)
        print_figure(paper_us(i, way, which), 2);
    (void)printf("\n");
}

static void print_sum(const overhead_figures *of, size_t way)
{
    const bool known = of->lookup_exec_us >= 0 && of->transmission_us >= 0;
    (void)printf("  %-22s", "sum of both to total");
    print_figure(known ? (of->lookup_exec_us + of->transmission_us) / of->total_us : -1, 3);
    for (size_t i = 0; i < MACHINES; i++) {
        const double total = paper_us(i, way, TOTAL);
        print_figure(total < 0
                         ? -1
                         : (paper_us(i, way, LOOKUP_EXEC) + paper_us(i, way, TRANSMISSION)) /
                               total,
                     2);
    }
    (void)printf("\n");
}

void paper_tables_print_overheads(const overhead_figures *here, size_t count)
{
    (void)printf("\nTables I to III of the Three-Chains paper, TSI between two machines over "
                 "InfiniBand, and this run on one; us\n%-24s %13s",
                 "", "here");
    for (size_t i = 0; i < MACHINES; i++)
        (void)printf(" %3s %9s", first_calls[i].table, first_calls[i].machine);
    (void)printf("\n");
    for (size_t i = 0; i < count; i++) {
        size_t way = 0;
        while (way < WAYS && strcmp(ways[way].mode, here[i].mode) != 0)
            way++;
        if (way == WAYS)
            continue;
        (void)printf("%s\n", ways[way].way);
        print_stage(&here[i], way, "lookup + execution", LOOKUP_EXEC);
        if (here[i].jit_us >= 0)
            print_stage(&here[i], way, "once: made callable", JIT);
        print_stage(&here[i], way, "transmission", TRANSMISSION);
        print_stage(&here[i], way, "total", TOTAL);
        print_sum(&here[i], way);
    }
}

json_t *paper_tables_overheads(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < MACHINES; i++) {
        for (size_t way = 0; way < WAYS && paper_us(i, way, TOTAL) >= 0; way++) {
            json_t *row =
                json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "table", first_calls[i].table,
                          "machine", first_calls[i].machine, "mode", ways[way].mode,
                          "lookup_exec_ns", paper_us(i, way, LOOKUP_EXEC) * 1e3,
                          "transmission_ns", paper_us(i, way, TRANSMISSION) * 1e3, "total_ns",
                          paper_us(i, way, TOTAL) * 1e3);
            if (paper_us(i, way, JIT) >= 0)
                (void)json_object_set_new(row, "jit_ns",
                                          json_real(paper_us(i, way, JIT) * 1e3));
            (void)json_array_append_new(list, row);
        }
    }
    return list;
}

/* --- Tables IV to VI ---------------------------------------------------------------------- */

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

/* "+26.4 %"; of a ratio that is not there "-". */
static void print_gain(double ratio)
{
    if (ratio > 0)
        (void)printf(" %+10.1f %%", (ratio - 1) * 100);
    else
        (void)printf(" %12s", "-");
}

static double inverse(double ratio)
{
    return ratio > 0 ? 1 / ratio : 0;
}

/* Speed-ups of the cached way over the other two; three rows of `rates` in a row are one
 * machine's. */
static void print_speedups(const json_t *ratios)
{
    (void)printf("\n%-5s %-10s %-17s %12s %12s    %12s %12s\n", "table", "machine",
                 "cached over", "latency", "rate", "latency here", "rate here");
    for (size_t i = 0; i < RATES; i++) {
        const size_t cached = i / 3 * 3 + 1;
        const bool over_am = strcmp(rates[i].mode, "am") == 0;
        if (i == cached)
            continue;
        (void)printf("%-5s %-10s %-17s", rates[i].table, rates[i].machine, rates[i].way);
        print_gain(rates[i].latency_us / rates[cached].latency_us);
        print_gain(rates[cached].rate_per_s / rates[i].rate_per_s);
        (void)printf("   ");
        print_gain(over_am ? inverse(number(ratios, "cached_to_am_latency"))
                           : number(ratios, "uncached_to_cached_latency"));
        print_gain(over_am ? number(ratios, "cached_to_am_rate")
                           : inverse(number(ratios, "uncached_to_cached_rate")));
        (void)printf("\n");
    }
}

void paper_tables_print_rates(const json_t *rows, const json_t *ratios)
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
    print_speedups(ratios);
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
