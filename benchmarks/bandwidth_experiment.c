/* Bandwidth of large payloads: the library against what a program gets from plain UCX, in
 * rounds that take turns. Each payload is handed to a function that reads it where it has
 * arrived. */
#include "mode_bulk.h"

#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"
#include "perf_values.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASUREMENT_NS (50 * PERF_NS_PER_MS)
#define TRIAL_BYTES (4u << 20)
#define COUNT_MAX 100000u
#define SERIES_MAX (3 + PERF_DELIVERIES_MAX)
#define MB (1u << 20)

enum { ACTION_PAYLOAD = 1, ACTION_OPEN, ACTION_RATE, ACTION_CLOSE };

/* The series of plain UCX come first. */
typedef struct bandwidth_run {
    perf_options options;
    perf_session *session;
    json_t *rows;
    json_t *ratios;
    unsigned series_count;
    unsigned ucx_count;
    perf_series series[SERIES_MAX];
    uint64_t counts[SERIES_MAX];
    double *mb_per_s[SERIES_MAX]; /* one per round */
    double *buffer;
} bandwidth_run;

static const perf_mode *const modes[] = {&perf_mode_bulk_put, &perf_mode_bulk_am,
                                         &perf_mode_bulk_am_safe, &perf_mode_bulk_cached};

static bool is_chosen(const perf_options *options, const char *name)
{
    char listed[16];
    for (const char *at = options->modes; at != NULL;) {
        if (!perf_value_name(&at, ',', listed, sizeof listed))
            return false;
        if (strcmp(listed, name) == 0)
            return true;
    }
    return false;
}

static bool choose_series(bandwidth_run *run)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        bool own = modes[i] == &perf_mode_bulk_cached;
        unsigned count = own ? run->options.delivery_count : 1;
        for (unsigned n = 0; n < count && is_chosen(&run->options, modes[i]->name); n++) {
            const char *delivery = own ? run->options.deliveries[n] : "";
            run->ucx_count += !own;
            run->series[run->series_count++] =
                (perf_series){.mode = modes[i],
                              .delivery_wanted = *delivery != '\0' ? delivery : NULL,
                              .options = &run->options,
                              .session = run->session};
        }
    }
    if (run->series_count == 0)
        (void)fprintf(stderr,
                      "tc-perf: --modes: expected some of put, am, am-safe and cached\n");
    return run->series_count > 0;
}

static bool target_step(void *experiment, const perf_command *command)
{
    bandwidth_run *run = experiment;
    if (command->series >= run->series_count)
        return false;
    perf_series *series = &run->series[command->series];
    switch (command->action) {
    case ACTION_PAYLOAD:
        run->options.payload_bytes = command->count;
        return true;
    case ACTION_OPEN:
        return series->mode->open(series);
    case ACTION_RATE:
        perf_session_set_ready(run->session);
        return series->mode->target_rate(series, command->count);
    case ACTION_CLOSE:
        series->mode->close(series);
        return true;
    default:
        return false;
    }
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

static bool start_step(bandwidth_run *run, uint32_t action, unsigned series, uint64_t count)
{
    const perf_command command = {.action = action, .series = series, .count = count};
    return perf_session_command(run->session, &command);
}

static bool open_all(bandwidth_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_series *series = &run->series[i];
        series->payload_max = 0;
        if (!start_step(run, ACTION_OPEN, i, 0) || !series->mode->open(series) ||
            !perf_session_reply(run->session))
            return false;
    }
    return true;
}

static bool close_all(bandwidth_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_series *series = &run->series[i];
        if (!start_step(run, ACTION_CLOSE, i, 0))
            return false;
        series->mode->close(series);
        if (!perf_session_reply(run->session))
            return false;
    }
    return true;
}

/* From the first send until the target says that all have run. */
static bool measure_series(bandwidth_run *run, unsigned index, uint64_t count,
                           double *mb_per_s_out)
{
    perf_series *series = &run->series[index];
    if (!start_step(run, ACTION_RATE, index, count) || !perf_session_await_ready(run->session))
        return false;
    uint64_t start = perf_now_ns();
    if (!series->mode->source_rate(series, count) || !perf_session_await_done(run->session))
        return false;
    double seconds = (double)(perf_now_ns() - start) / (double)PERF_NS_PER_S;
    perf_session_set_ended(run->session);
    *mb_per_s_out = (double)count * (double)run->options.payload_bytes / (double)MB / seconds;
    return perf_session_reply(run->session);
}

/* The second trial tells how many fill a measurement; the first has the first calls. */
static bool choose_count(bandwidth_run *run, unsigned index)
{
    const double payload_mb = (double)run->options.payload_bytes / (double)MB;
    uint64_t trial = 2 + TRIAL_BYTES / run->options.payload_bytes;
    double mb_per_s = 0;
    run->counts[index] = run->options.iterations;
    if (run->options.iterations != 0)
        return measure_series(run, index, run->options.iterations, &mb_per_s);
    for (int i = 0; i < 2; i++) {
        if (!measure_series(run, index, trial, &mb_per_s))
            return false;
    }
    double count = mb_per_s / payload_mb * (double)MEASUREMENT_NS / (double)PERF_NS_PER_S;
    run->counts[index] = count < 2 ? 2 : count > COUNT_MAX ? COUNT_MAX : (uint64_t)count;
    return true;
}

static bool measure_round(bandwidth_run *run, unsigned round)
{
    for (unsigned turn = 0; turn < run->series_count; turn++) {
        unsigned i = (turn + round) % run->series_count;
        if (run->series[i].payload_max != 0)
            continue;
        perf_report_progress("%zu bytes, round %u of %u: %s", run->options.payload_bytes,
                             round + 1, run->options.rounds, run->series[i].mode->name);
        if (!measure_series(run, i, run->counts[i], &run->mb_per_s[i][round]))
            return false;
        if (run->options.verbose)
            (void)fprintf(stderr, "round %3u %-8s %-8s %10.1f MB/s\n", round + 1,
                          run->series[i].mode->name, run->series[i].delivery,
                          run->mb_per_s[i][round]);
    }
    return true;
}

static void report_row(bandwidth_run *run, unsigned index)
{
    const perf_series *series = &run->series[index];
    memcpy(run->buffer, run->mb_per_s[index], run->options.rounds * sizeof *run->buffer);
    double median = perf_median(run->buffer, run->options.rounds);
    (void)json_array_append_new(run->rows,
                                json_pack("{s:s, s:s, s:I, s:o}", "mode", series->mode->name,
                                          "delivery", series->delivery, "payload_bytes",
                                          (json_int_t)series->payload_bytes, "mb_per_s",
                                          perf_report_number(median)));
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %9zu %12.1f", series->mode->name, series->delivery,
                     series->payload_bytes, median);
}

/* To the fastest series of plain UCX, round by round. */
static void report_ratio(bandwidth_run *run, unsigned index)
{
    char name[64];
    for (unsigned round = 0; round < run->options.rounds; round++) {
        double best = 0;
        for (unsigned i = 0; i < run->ucx_count; i++) {
            double value = run->mb_per_s[i][round];
            best = value > best ? value : best;
        }
        run->buffer[round] = run->mb_per_s[index][round] / best;
    }
    double ratio = perf_median(run->buffer, run->options.rounds);
    (void)snprintf(name, sizeof name, "cached_to_ucx_%s_%zu", run->series[index].delivery,
                   run->options.payload_bytes);
    (void)json_object_set_new(run->ratios, name, perf_report_number(ratio));
    if (!perf_report_is_quiet(&run->options))
        (void)printf(" %8.3f", ratio);
}

static void report_payload(bandwidth_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].payload_max != 0)
            continue;
        report_row(run, i);
        if (i >= run->ucx_count && run->ucx_count > 0)
            report_ratio(run, i);
        if (!perf_report_is_quiet(&run->options))
            (void)putchar('\n');
    }
    (void)fflush(stdout);
}

static bool measure(bandwidth_run *run, uint64_t payload_bytes)
{
    run->options.payload_bytes = payload_bytes;
    if (!start_step(run, ACTION_PAYLOAD, 0, payload_bytes) ||
        !perf_session_reply(run->session) || !open_all(run))
        return false;
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].payload_max == 0 && !choose_count(run, i))
            return false;
    }
    for (unsigned round = 0; round < run->options.rounds; round++) {
        if (!measure_round(run, round))
            return false;
    }
    perf_report_progress(NULL);
    report_payload(run);
    return close_all(run);
}

static bool measure_all(bandwidth_run *run)
{
    if (!perf_report_is_quiet(&run->options))
        (void)printf("%-9s %-8s %9s %12s %8s\n", "mode", "delivery", "payload", "MB/s",
                     "to UCX");
    for (unsigned i = 0; i < run->options.payloads.count; i++) {
        if (!measure(run, run->options.payloads.values[i]))
            return false;
    }
    if (!perf_report_is_quiet(&run->options))
        (void)printf("\npayload in bytes; medians of %u rounds; to UCX: to the faster of its "
                     "modes\n",
                     run->options.rounds);
    return true;
}

static bool create_samples(bandwidth_run *run)
{
    bool ok = (run->buffer = calloc(run->options.rounds, sizeof(double))) != NULL;
    for (unsigned i = 0; i < run->series_count; i++)
        ok &= (run->mb_per_s[i] = calloc(run->options.rounds, sizeof(double))) != NULL;
    run->rows = json_array();
    run->ratios = json_object();
    ok = ok && run->rows != NULL && run->ratios != NULL;
    return ok || perf_complain(run->session, "out of memory");
}

static bool write_report(bandwidth_run *run)
{
    json_t *report = perf_report_create(&run->options);
    bool ok = report != NULL && json_object_set(report, "rows", run->rows) == 0 &&
              json_object_set(report, "ratios", run->ratios) == 0 &&
              perf_report_write(&run->options, report);
    json_decref(report);
    return ok;
}

static int run_bandwidth(const perf_options *options)
{
    perf_session session;
    bandwidth_run run = {.options = *options, .session = &session};
    if (!choose_series(&run))
        return 2;
    bool ok = perf_session_start(&session, options->cpus, serve, &run) &&
              create_samples(&run) && measure_all(&run);
    perf_report_progress(NULL);
    ok = perf_session_end(&session) && ok;
    ok = ok && write_report(&run);
    json_decref(run.rows);
    json_decref(run.ratios);
    for (unsigned i = 0; i < run.series_count; i++)
        free(run.mb_per_s[i]);
    free(run.buffer);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment bandwidth_experiment = {
    .name = "bandwidth",
    .summary = "of large payloads, beside UCX's puts and active messages",
    .options = "size sweep iterations rounds modes unread pin",
    .defaults = {{"size", "64K,256K,1M,4M,16M"}, {"modes", "put,am,cached"}, {"rounds", "10"}},
    .payload_bytes = {1, 256u << 20},
    .iterations_max = 10000000,
    .run = run_bandwidth,
};
