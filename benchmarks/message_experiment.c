/* How fast a function can be made to run in another process, by each mode in turn: one that
 * adds one to a counter (Target-Side Increment), one that adds up its payload (Server-Side
 * Sum), one that stores it where a hash table says (Indirect Put). Rounds are short and
 * interleaved, so that whatever the machine does meanwhile (other load, processors that move)
 * strikes all modes alike and ratios within a round stay meaningful. */
#include "series_run.h"

#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASUREMENT_NS (25 * PERF_NS_PER_MS)
#define LATENCY_COUNT_MAX 200000u
#define RATE_COUNT_MAX 5000000u
#define TRIAL_LATENCY_COUNT 200u
#define TRIAL_RATE_COUNT 1000u
#define LEAST_RATE_BYTES (16u << 20)

enum { ACTION_PAYLOAD = 1, ACTION_OPEN, ACTION_LATENCY, ACTION_RATE, ACTION_CLOSE };

static const perf_mode *const modes[] = {
    &perf_mode_bare,     &perf_mode_am,    &perf_mode_cached,
    &perf_mode_uncached, &perf_mode_image, &perf_mode_bitcode,
    &perf_mode_inject,   &perf_mode_local, &perf_mode_compat};

#define MODE_COUNT (sizeof modes / sizeof modes[0])

/* Only the library's modes choose between deliveries. */
static bool mode_has_deliveries(const perf_mode *mode)
{
    return mode != &perf_mode_bare && mode != &perf_mode_am && mode != &perf_mode_compat;
}

static void add_series(series_run *run, const perf_mode *mode)
{
    unsigned count = mode_has_deliveries(mode) ? run->options.delivery_count : 1;
    for (unsigned i = 0; i < count; i++) {
        const char *delivery = run->options.deliveries[i];
        run->series[run->series_count++] =
            (perf_series){.mode = mode,
                          .work = ifunc_work_find(run->options.experiment->name),
                          .delivery_wanted = *delivery != '\0' ? delivery : NULL,
                          .options = &run->options,
                          .session = run->session};
    }
}

/* In the order of the table above, whatever the order of the list; a name given twice counts
 * once. */
static bool choose_series(series_run *run)
{
    bool chosen[MODE_COUNT] = {false};
    const char *at = run->options.modes;
    for (;;) {
        size_t size = strcspn(at, ","), which = 0;
        while (which < MODE_COUNT && (strlen(modes[which]->name) != size ||
                                      memcmp(modes[which]->name, at, size) != 0))
            which++;
        if (which == MODE_COUNT) {
            (void)fprintf(stderr,
                          "tc-perf: no mode is called '%.*s': expected bare, am, cached, "
                          "uncached, image, bitcode, inject, local or compat\n",
                          (int)size, at);
            return false;
        }
        if (strcmp(run->options.experiment->name, "tsi") != 0 &&
            !mode_has_deliveries(modes[which])) {
            (void)fprintf(stderr,
                          "tc-perf: mode '%s' is of tsi alone: expected cached, "
                          "uncached, image, bitcode, inject or local\n",
                          modes[which]->name);
            return false;
        }
        chosen[which] = true;
        at += size;
        if (*at++ == '\0')
            break;
    }
    for (size_t i = 0; i < MODE_COUNT; i++) {
        if (chosen[i])
            add_series(run, modes[i]);
    }
    return true;
}

static bool target_step(void *experiment, const perf_command *command)
{
    series_run *run = experiment;
    if (command->series >= run->series_count)
        return false;
    perf_series *series = &run->series[command->series];
    switch (command->action) {
    case ACTION_PAYLOAD:
        run->options.payload_bytes = command->count;
        return true;
    case ACTION_OPEN:
        return series->mode->open(series);
    case ACTION_LATENCY:
        perf_session_set_ready(run->session);
        return series->mode->target_latency(series, command->count);
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

static bool start_step(series_run *run, uint32_t action, unsigned series, uint64_t count)
{
    const perf_command command = {.action = action, .series = series, .count = count};
    return perf_session_command(run->session, &command);
}

static bool open_all(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_series *series = &run->series[i];
        series->payload_max = 0;
        perf_report_progress("opening %s", series->mode->name);
        if (!start_step(run, ACTION_OPEN, i, 0) || !series->mode->open(series) ||
            !perf_session_reply(run->session))
            return false;
    }
    return true;
}

static bool close_all(series_run *run)
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

/* Warm-up and measurement are one chain of round trips; only the stamps tell them apart. */
static bool measure_latency(series_run *run, unsigned index, uint64_t count, perf_latency *out)
{
    perf_series *series = &run->series[index];
    uint64_t warmup = run->options.warmup;
    if (!start_step(run, ACTION_LATENCY, index, warmup + count) ||
        !perf_session_await_ready(run->session) ||
        !series->mode->source_latency(series, warmup + count, run->stamps))
        return false;
    perf_session_set_ended(run->session);
    if (!perf_session_reply(run->session))
        return false;
    *out = perf_latency_of(run->stamps + warmup, count);
    return true;
}

/* From the first send until the target says that all have run. */
static bool measure_rate(series_run *run, unsigned index, uint64_t count, double *per_s_out)
{
    perf_series *series = &run->series[index];
    if (!start_step(run, ACTION_RATE, index, count) || !perf_session_await_ready(run->session))
        return false;
    uint64_t start = perf_now_ns();
    if (!series->mode->source_rate(series, count) || !perf_session_await_done(run->session))
        return false;
    uint64_t end = perf_now_ns();
    perf_session_set_ended(run->session);
    *per_s_out = (double)count * (double)PERF_NS_PER_S / (double)(end - start);
    return perf_session_reply(run->session);
}

/* Large messages need not be as many for a trial to take a measurable time. */
static uint64_t least_rate_count(const series_run *run)
{
    uint64_t count = LEAST_RATE_BYTES / run->options.payload_bytes;
    return count > TRIAL_RATE_COUNT ? TRIAL_RATE_COUNT : count;
}

static uint64_t count_that_fits(double each_ns, uint64_t min, uint64_t max)
{
    double count = (double)MEASUREMENT_NS / each_ns;
    return count < (double)min ? min : count > (double)max ? max : (uint64_t)count;
}

/* Without -n, a trial run tells how many iterations take the time of one measurement. Its
 * figures are thrown away, and with them the first calls, for which the target prepares the
 * code. */
static bool choose_counts(series_run *run, unsigned index)
{
    perf_latency latency;
    double rate = 0;
    uint64_t least = least_rate_count(run);
    uint64_t wanted = run->options.iterations;
    for (int i = 0; i < 2; i++) {
        uint64_t trial = i == 0 ? least : count_that_fits(1e10 / rate, least, RATE_COUNT_MAX);
        if (wanted != 0 && trial > wanted)
            trial = wanted;
        if (!measure_rate(run, index, trial, &rate))
            return false;
    }
    uint64_t trial = wanted != 0 && wanted < TRIAL_LATENCY_COUNT ? wanted : TRIAL_LATENCY_COUNT;
    if (!measure_latency(run, index, trial, &latency))
        return false;
    run->rate_count[index] =
        wanted != 0 ? wanted : count_that_fits(1e9 / rate, least, RATE_COUNT_MAX);
    run->latency_count[index] =
        wanted != 0
            ? wanted
            : count_that_fits(2 * latency.p50_ns, TRIAL_LATENCY_COUNT, LATENCY_COUNT_MAX);
    return true;
}

static bool measure_round(series_run *run, unsigned round)
{
    perf_latency latency;
    /* Latencies first, then rates, so that what a ratio compares lies close in time; who
     * begins, changes. */
    for (unsigned turn = 0; turn < run->series_count; turn++) {
        unsigned i = (turn + round) % run->series_count;
        if (run->series[i].payload_max != 0)
            continue;
        perf_report_progress("round %u of %u: latency, %s", round + 1, run->options.rounds,
                             run->series[i].mode->name);
        if (!measure_latency(run, i, run->latency_count[i], &latency))
            return false;
        run->samples[i].p50_ns[round] = latency.p50_ns;
        run->samples[i].p99_ns[round] = latency.p99_ns;
    }
    for (unsigned turn = 0; turn < run->series_count; turn++) {
        unsigned i = (turn + round) % run->series_count;
        if (run->series[i].payload_max != 0)
            continue;
        perf_report_progress("round %u of %u: rate, %s", round + 1, run->options.rounds,
                             run->series[i].mode->name);
        if (!measure_rate(run, i, run->rate_count[i], &run->samples[i].rate_per_s[round]))
            return false;
    }
    return true;
}

static void print_round(const series_run *run, unsigned round)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        if (run->series[i].payload_max != 0)
            continue;
        (void)fprintf(stderr, "round %3u %-8s %-6s p50 %9.1f ns p99 %9.1f ns %10.3f M/s\n",
                      round + 1, run->series[i].mode->name, run->series[i].delivery,
                      run->samples[i].p50_ns[round], run->samples[i].p99_ns[round],
                      run->samples[i].rate_per_s[round] / 1e6);
    }
}

static bool set_payload(series_run *run, uint64_t payload_bytes)
{
    run->options.payload_bytes = payload_bytes;
    return start_step(run, ACTION_PAYLOAD, 0, payload_bytes) &&
           perf_session_reply(run->session);
}

static bool measure(series_run *run, uint64_t payload_bytes)
{
    if (!set_payload(run, payload_bytes) || !open_all(run))
        return false;
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_report_progress("trial, %s", run->series[i].mode->name);
        if (run->series[i].payload_max == 0 && !choose_counts(run, i))
            return false;
    }
    for (unsigned round = 0; round < run->options.rounds; round++) {
        if (!measure_round(run, round))
            return false;
        if (run->options.verbose)
            print_round(run, round);
    }
    perf_report_progress(NULL);
    return close_all(run) && message_report_payload(run);
}

static bool measure_all(series_run *run)
{
    for (unsigned i = 0; i < run->options.payloads.count; i++) {
        if (!measure(run, run->options.payloads.values[i]))
            return false;
    }
    return true;
}

static bool create_samples(series_run *run)
{
    uint64_t count = run->options.iterations > LATENCY_COUNT_MAX ? run->options.iterations
                                                                 : LATENCY_COUNT_MAX;
    bool ok = true;
    run->stamps_max = run->options.warmup + count + 1;
    run->stamps = malloc(run->stamps_max * sizeof *run->stamps);
    for (unsigned i = 0; i < run->series_count; i++) {
        series_samples *samples = &run->samples[i];
        samples->p50_ns = calloc(run->options.rounds, sizeof(double));
        samples->p99_ns = calloc(run->options.rounds, sizeof(double));
        samples->rate_per_s = calloc(run->options.rounds, sizeof(double));
        ok = ok && samples->p50_ns != NULL && samples->p99_ns != NULL &&
             samples->rate_per_s != NULL;
    }
    if (run->stamps == NULL || !ok)
        return perf_complain(run->session, "out of memory");
    /* Touched now: a page fault must not be part of a round trip. */
    memset(run->stamps, 0xff, run->stamps_max * sizeof *run->stamps);
    return true;
}

static void destroy_samples(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        free(run->samples[i].p50_ns);
        free(run->samples[i].p99_ns);
        free(run->samples[i].rate_per_s);
    }
    free(run->stamps);
}

static int run_messages(const perf_options *options)
{
    perf_session session;
    series_run run = {.options = *options, .session = &session};
    if (options->senders.count > 0)
        return fan_in_run(options);
    if (!choose_series(&run))
        return 2;
    bool ok = perf_session_start(&session, options->cpus, serve, &run) &&
              create_samples(&run) && measure_all(&run);
    perf_report_progress(NULL);
    ok = perf_session_end(&session) && ok;
    ok = ok && message_report_write(&run);
    json_decref(run.rows); /* left after a complaint only */
    json_decref(run.ratios);
    destroy_samples(&run);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define OPTIONS "size sweep iterations warmup rounds modes pin"
#define PAYLOAD_MAX (1u << 20)
#define ITERATIONS_MAX 10000000

const perf_experiment tsi_experiment = {
    .name = "tsi",
    .summary = "half round trip and rate of a function that adds one to a counter",
    .options = OPTIONS " table api senders",
    .defaults = {{"size", "8"}, {"modes", "bare,am,cached,uncached"}, {"warmup", "1000"}},
    .payload_bytes = {1, PAYLOAD_MAX},
    .iterations_max = ITERATIONS_MAX,
    .run = run_messages,
};

/* A payload is at least one number. */
const perf_experiment ssum_experiment = {
    .name = "ssum",
    .summary = "the same of a function that adds up its payload",
    .options = OPTIONS,
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {4, PAYLOAD_MAX},
    .iterations_max = ITERATIONS_MAX,
    .run = run_messages,
};

/* A payload is at least a key and a word of data. */
const perf_experiment iput_experiment = {
    .name = "iput",
    .summary = "the same of one that puts its payload where a hash table says",
    .options = OPTIONS,
    .defaults = {{"sweep", "16..32K"}, {"modes", "cached,inject,local"}, {"warmup", "1000"}},
    .payload_bytes = {16, PAYLOAD_MAX},
    .iterations_max = ITERATIONS_MAX,
    .run = run_messages,
};
