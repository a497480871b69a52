#include "tail_report.h"

#include "frame_place.h"
#include "perf_clock.h"
#include "perf_report.h"
#include "series_report.h"

#include <stdio.h>
#include <string.h>

/* The figures compared with others. */
typedef struct tail_row {
    perf_tail ticks; /* of whole round trips */
    double spread;   /* the paper's equation: (p99.9 - p50) / p50 */
    double rate_per_s;
} tail_row;

static const char *place_of(const series_run *run, unsigned index)
{
    return frame_place_name(run->series[index].place->where);
}

static bool is_am(const series_run *run, unsigned index)
{
    return run->series[index].mode == &perf_mode_am;
}

static json_t *make_row(const series_run *run, const tail_pool *pool, unsigned index)
{
    const perf_series *series = &run->series[index];
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:I}", "load", pool->load->name,
                     "load_by", pool->load->by, "function", run->options.function, "mode",
                     series->mode->name, "delivery", series->delivery, "placement",
                     place_of(run, index), "payload_bytes", (json_int_t)series->payload_bytes,
                     "frame_bytes", perf_report_number(series->frame_bytes), "samples",
                     (json_int_t)pool->count);
}

/* Quartiles are those of the rounds' medians; all else is of the samples of all rounds. */
static void report_row(const series_run *run, tail_pool *pool, unsigned index,
                       tail_row *row_out)
{
    const double half_ns = perf_clock_ns_per_tick() / 2;
    json_t *row = make_row(run, pool, index);
    *row_out = (tail_row){.ticks = perf_stats_tail(pool->ticks, pool->count)};
    const double p50 = (double)row_out->ticks.p50, p999 = (double)row_out->ticks.p999;
    row_out->spread = p50 > 0 ? (p999 - p50) / p50 : 0;
    perf_report_tail(row, "latency_ns", &row_out->ticks, half_ns);
    (void)json_object_set_new(row, "tail_spread", perf_report_number(row_out->spread));
    perf_report_spread(row, "round_p50_ns",
                       series_report_spread(run, run->samples[index].p50_ns), 1);
    if (!is_am(run, index)) {
        const perf_spread rate = series_report_spread(run, pool->handled_per_s);
        row_out->rate_per_s = rate.median;
        perf_report_spread(row, "rate_per_s", rate, 1);
        (void)json_object_set_new(row, "seen_share",
                                  perf_report_number((double)pool->seen / (double)pool->count));
    }
    (void)json_array_append_new(run->rows, row);
}

static void print_row(const series_run *run, const tail_pool *pool, unsigned index,
                      const tail_row *row)
{
    const double half_ns = perf_clock_ns_per_tick() / 2;
    (void)printf("%-5s %-7s %-8s %-7s %7zu %9.1f %9.1f %10.1f %11.0f %9.0f", pool->load->name,
                 run->series[index].mode->name, run->series[index].delivery,
                 place_of(run, index), run->series[index].payload_bytes,
                 (double)row->ticks.p50 * half_ns, (double)row->ticks.p99 * half_ns,
                 (double)row->ticks.p999 * half_ns, (double)row->ticks.max * half_ns,
                 100 * row->spread);
    if (is_am(run, index))
        (void)printf(" %9s\n", "-");
    else
        (void)printf(" %9.3f\n", row->rate_per_s / 1e6);
}

static void print_head(const series_run *run)
{
    if (!perf_report_is_quiet(&run->options) && run->payload_index == 0)
        (void)printf("%-5s %-7s %-8s %-7s %7s %9s %9s %10s %11s %9s %9s\n", "load", "mode",
                     "delivery", "placed", "payload", "p50 ns", "p99 ns", "p99.9 ns", "max ns",
                     "spread %", "rate M/s");
}

static void print_foot(const series_run *run, const tail_pool *pools)
{
    const char *by = "none";
    for (unsigned i = 0; i < run->series_count; i++)
        by = strcmp(pools[i].load->by, "none") != 0 ? pools[i].load->by : by;
    if (perf_report_is_quiet(&run->options) || !series_run_is_last_payload(run))
        return;
    (void)printf(
        "\n%s: half round trips of all rounds; spread: (p99.9 - p50) / p50; load: %s\n"
        "memory: the receiver flushes each frame before it reads it, which emulates an "
        "adapter\nthat does not put frames into a cache; the time of it is taken out. "
        "rate: of bursts,\nas fast as the target handles what is there\n",
        run->options.function, by);
}

/* --- ratios ------------------------------------------------------------------------------ */

static void add_ratio(const series_run *run, const char *what, const char *figure,
                      const char *of, const char *with, double over, double under)
{
    char name[96], payload[24] = "";
    if (under <= 0)
        return;
    if (run->options.payloads.count > 1)
        (void)snprintf(payload, sizeof payload, "_%zu", run->options.payload_bytes);
    (void)snprintf(name, sizeof name, "%s_%s_%s_%s%s", what, figure, of, with, payload);
    (void)json_object_set_new(run->ratios, name, perf_report_number(over / under));
}

/* Two series that differ in their placement alone, or in their load alone, or in being
 * UCX's. */
static void compare(const series_run *run, const tail_pool *pools, const tail_row *rows,
                    unsigned a, unsigned b)
{
    const bool same_mode = run->series[a].mode == run->series[b].mode;
    const bool same_place = run->series[a].place == run->series[b].place;
    const bool same_load = pools[a].load == pools[b].load;
    const char *mode = run->series[a].mode->name;
    char what[32];
    if (same_mode && same_load && run->series[a].place->where == FRAME_IN_MEMORY &&
        !same_place) {
        (void)snprintf(what, sizeof what, "memory_to_%s", place_of(run, b));
        add_ratio(run, what, "latency", mode, pools[a].load->name, (double)rows[a].ticks.p50,
                  (double)rows[b].ticks.p50);
        add_ratio(run, what, "p999", mode, pools[a].load->name, (double)rows[a].ticks.p999,
                  (double)rows[b].ticks.p999);
        add_ratio(run, what, "rate", mode, pools[a].load->name, rows[a].rate_per_s,
                  rows[b].rate_per_s);
    }
    if (same_mode && same_place && !same_load && strcmp(pools[b].load->name, "none") == 0) {
        (void)snprintf(what, sizeof what, "%s_to_none", pools[a].load->name);
        add_ratio(run, what, "latency", mode, place_of(run, a), (double)rows[a].ticks.p50,
                  (double)rows[b].ticks.p50);
        add_ratio(run, what, "p999", mode, place_of(run, a), (double)rows[a].ticks.p999,
                  (double)rows[b].ticks.p999);
    }
    if (same_place && same_load && !same_mode && is_am(run, b)) {
        (void)snprintf(what, sizeof what, "%s_to_am", mode);
        add_ratio(run, what, "latency", place_of(run, a), pools[a].load->name,
                  (double)rows[a].ticks.p50, (double)rows[b].ticks.p50);
        add_ratio(run, what, "p999", place_of(run, a), pools[a].load->name,
                  (double)rows[a].ticks.p999, (double)rows[b].ticks.p999);
    }
}

static void report_skipped(const series_run *run, const tail_pool *pool, unsigned index)
{
    const perf_series *series = &run->series[index];
    char text[96];
    if (series->payload_max != 0)
        (void)snprintf(text, sizeof text, "the largest payload is %zu bytes",
                       series->payload_max);
    else
        (void)snprintf(text, sizeof text, "delivery %s puts frames where only it finds them",
                       series->delivery);
    (void)json_array_append_new(
        run->rows, json_pack("{s:s, s:s, s:s, s:s, s:I, s:s}", "load", pool->load->name, "mode",
                             series->mode->name, "delivery", series->delivery, "placement",
                             place_of(run, index), "payload_bytes",
                             (json_int_t)series->payload_bytes, "skipped", text));
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-5s %-7s %-8s %-7s %7zu skipped: %s\n", pool->load->name,
                     series->mode->name, series->delivery, place_of(run, index),
                     series->payload_bytes, text);
}

void tail_report_payload(const series_run *run, tail_pool *pools)
{
    tail_row rows[SERIES_MAX];
    print_head(run);
    for (unsigned i = 0; i < run->series_count; i++) {
        if (series_run_skips(run, i)) {
            report_skipped(run, &pools[i], i);
            continue;
        }
        report_row(run, &pools[i], i, &rows[i]);
        if (!perf_report_is_quiet(&run->options))
            print_row(run, &pools[i], i, &rows[i]);
    }
    for (unsigned a = 0; a < run->series_count; a++) {
        for (unsigned b = 0; b < run->series_count; b++) {
            if (!series_run_skips(run, a) && !series_run_skips(run, b))
                compare(run, pools, rows, a, b);
        }
    }
    print_foot(run, pools);
}
