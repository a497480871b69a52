/* The effect of a ring's size: rates with rings of several sizes, which take turns, over the
 * number of messages that each lets be under way. The Two-Chains paper has banks of mailboxes,
 * with a flag for each, where a ring has credits for eighths of it. */
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_value.h"
#include "series_report.h"
#include "series_run.h"

#include <stdio.h>
#include <string.h>

static const perf_mode *const modes[] = {&perf_mode_cached, &perf_mode_uncached,
                                         &perf_mode_inject, &perf_mode_local};

#define MODE_COUNT (sizeof modes / sizeof modes[0])
#define MODES "cached,uncached,inject,local"

/* Modes that have no ring of the library's, of the list that is usual, are left out. */
static bool choose_series(series_run *run)
{
    const perf_list *rings = &run->options.ring_bytes;
    unsigned wanted = 0;
    for (size_t mode = 0; mode < MODE_COUNT; mode++)
        wanted += perf_value_lists(run->options.modes, ',', modes[mode]->name);
    if (wanted == 0) {
        (void)fprintf(stderr,
                      "tc-perf: --ring-bytes: found modes %s, expected some of " MODES "\n",
                      run->options.modes);
        return false;
    }
    if (wanted * rings->count * run->options.delivery_count > SERIES_MAX) {
        (void)fprintf(stderr,
                      "tc-perf: --ring-bytes: found %u rings for %u modes and %u deliveries, "
                      "expected no more than %u of all together\n",
                      rings->count, wanted, run->options.delivery_count, (unsigned)SERIES_MAX);
        return false;
    }
    for (size_t mode = 0; mode < MODE_COUNT; mode++) {
        for (unsigned ring = 0; ring < rings->count; ring++) {
            const unsigned first = run->series_count;
            if (perf_value_lists(run->options.modes, ',', modes[mode]->name))
                series_run_add(run, modes[mode]);
            for (unsigned i = first; i < run->series_count; i++)
                run->series[i].ring_bytes = rings->values[ring];
        }
    }
    return true;
}

/* --- the report --------------------------------------------------------------------------- */

static json_t *make_row(const perf_series *series)
{
    return json_pack("{s:s, s:s, s:I, s:I}", "mode", series->mode->name, "delivery",
                     series->delivery, "payload_bytes", (json_int_t)series->payload_bytes,
                     "ring_bytes", (json_int_t)series->ring_bytes);
}

static void report_row(const series_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    const perf_spread rate = series_report_spread(run, run->samples[index].rate_per_s);
    json_t *row = make_row(series);
    (void)json_object_set_new(row, "outstanding",
                              json_integer((json_int_t)series->outstanding));
    perf_report_spread(row, "rate_per_s", rate, 1);
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(&run->options))
        (void)printf(
            "%-9s %-8s %8zu %9llu %12llu %12s\n", series->mode->name, series->delivery,
            series->payload_bytes, (unsigned long long)series->ring_bytes,
            (unsigned long long)series->outstanding,
            series_report_figure(run, INTERFERENCE_RATE, rate, rate.median / 1e6, 3).text);
}

static void report_skipped(const series_run *run, const perf_series *series)
{
    char text[64];
    json_t *row = make_row(series);
    (void)snprintf(text, sizeof text, "the largest payload is %zu bytes", series->payload_max);
    (void)json_object_set_new(row, "skipped", json_string(text));
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %8zu %9llu skipped: %s\n", series->mode->name, series->delivery,
                     series->payload_bytes, (unsigned long long)series->ring_bytes, text);
}

/* The rate with a ring as a part of the largest ring's. */
static void report_ratio(const series_run *run, unsigned index, unsigned largest)
{
    const perf_series *series = &run->series[index];
    char name[96], payload[24] = "";
    if (run->options.payloads.count > 1)
        (void)snprintf(payload, sizeof payload, "_%zu", series->payload_bytes);
    for (unsigned i = 0; i < run->options.rounds; i++)
        run->buffer[i] =
            run->samples[index].rate_per_s[i] / run->samples[largest].rate_per_s[i];
    (void)snprintf(name, sizeof name, "ring_%llu_to_%llu_rate_%s_%s%s",
                   (unsigned long long)series->ring_bytes,
                   (unsigned long long)run->series[largest].ring_bytes, series->mode->name,
                   series->delivery, payload);
    (void)json_object_set_new(
        run->ratios, name,
        perf_report_number(perf_stats_median(run->buffer, run->options.rounds)));
}

static unsigned largest_of(const series_run *run, unsigned index)
{
    unsigned largest = index;
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].mode == run->series[index].mode && !series_run_skips(run, i) &&
            strcmp(run->series[i].delivery, run->series[index].delivery) == 0 &&
            run->series[i].ring_bytes > run->series[largest].ring_bytes)
            largest = i;
    }
    return largest;
}

static void report_payload(series_run *run)
{
    if (run->payload_index == 0 && !perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %8s %9s %12s %12s\n", "mode", "delivery", "payload", "ring",
                     "outstanding", "rate M/s");
    for (unsigned i = 0; i < run->series_count; i++) {
        if (series_run_skips(run, i)) {
            report_skipped(run, &run->series[i]);
            continue;
        }
        report_row(run, i);
        if (largest_of(run, i) != i)
            report_ratio(run, i, largest_of(run, i));
    }
}

static void print_round(const series_run *run, unsigned index, unsigned round)
{
    (void)fprintf(stderr, "round %3u %-8s ring %8llu %10.3f M/s\n", round + 1,
                  run->series[index].mode->name,
                  (unsigned long long)run->series[index].ring_bytes,
                  run->samples[index].rate_per_s[round] / 1e6);
}

int ring_sweep_run(const perf_options *options)
{
    static const series_kind kind = {.latency_bytes_max = 0,
                                     .choose_counts = series_run_choose_counts,
                                     .is_watched = true,
                                     .print_round = print_round,
                                     .report_payload = report_payload};
    series_run run = {.kind = &kind, .options = *options};
    return choose_series(&run) ? series_run_all(&run) : 2;
}
