/* The cost of a context that serves itself: the same calls and messages by the program's own
 * loop, under the context's lock, and with a thread that serves it. They take turns in one
 * context. The target serves itself all the time. */
#include "ifunc_link.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>

#include <tc/call.h>
#include <tc/thread.h>

#define CALLS_MAX 1000000u
#define MESSAGES_PER_CALL 50u /* of a measurement */
#define BATCH 32u

enum { ACTION_ROUND = 1, ACTION_CLOSE = 2 };

/* How the source uses its context. */
typedef enum served_mode { MODE_OWN, MODE_LOCK, MODE_SERVED, MODE_COUNT } served_mode;

static const char *const mode_names[] = {"own", "lock", "served"};

typedef enum served_figure { CALL_P50, CALL_P99, RATE, BATCH_RATE, FIGURE_COUNT } served_figure;

static const char *const figure_names[] = {"call_ns_p50", "call_ns_p99", "rate_per_s",
                                           "batch_rate_per_s"};

typedef struct served_run {
    const perf_options *options;
    perf_session *session;
    ifunc_link link;
    uint64_t calls; /* the function's counter, at the target */
    uint64_t *stamps;
    double *samples[MODE_COUNT][FIGURE_COUNT]; /* by round */
    char delivery[16];
} served_run;

static bool open_link(served_run *run)
{
    const char *delivery = run->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .path = run->options->ifunc_path,
                                      .name = "tsi",
                                      .target_args = &run->calls};
    return ifunc_link_open(&run->link, run->session, &config);
}

static bool start_thread(served_run *run)
{
    tc_error err = {0};
    return tc_context_start_thread(run->link.context, NULL, &err) == TC_OK ||
           perf_context_complain(run->session, "thread", &err);
}

static bool stop_thread(served_run *run)
{
    tc_error err = {0};
    return tc_context_stop_thread(run->link.context, &err) == TC_OK ||
           perf_context_complain(run->session, "thread", &err);
}

/* --- target ------------------------------------------------------------------------------ */

static bool serve(perf_session *session, void *experiment)
{
    served_run *run = experiment;
    perf_command command;
    run->session = session;
    if (!open_link(run) || !start_thread(run))
        return false;
    bool ok;
    while ((ok = perf_session_next(session, &command)) && command.action == ACTION_ROUND)
        ok = perf_session_answer(session, true);
    ok = stop_thread(run) && ok;
    ok = perf_session_answer(session, ok) && ok;
    ifunc_link_close(&run->link);
    return ok && perf_session_next(session, &command);
}

/* --- source ------------------------------------------------------------------------------ */

static tc_status enter(const served_run *run, served_mode mode, tc_error *err)
{
    return mode == MODE_OWN ? TC_OK : tc_context_lock(run->link.context, PERF_SILENCE_NS, err);
}

static void leave(const served_run *run, served_mode mode)
{
    if (mode != MODE_OWN)
        tc_context_unlock(run->link.context);
}

static bool call_once(served_run *run, served_mode mode)
{
    const uint64_t payload = 1;
    tc_error err = {0};
    tc_status status = enter(run, mode, &err);
    if (status != TC_OK)
        return perf_context_complain(run->session, "lock", &err);
    status = tc_call(run->link.peer, run->link.function, &payload, sizeof payload, NULL, NULL,
                     PERF_SILENCE_NS, &err);
    leave(run, mode);
    return status == TC_OK || perf_context_complain(run->session, "call", &err);
}

static bool measure_calls(served_run *run, served_mode mode, unsigned round)
{
    const uint64_t count = run->options->iterations;
    run->stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        if (!call_once(run, mode))
            return false;
        run->stamps[i] = perf_ticks();
    }
    perf_latency half = perf_stats_latency(run->stamps, count);
    run->samples[mode][CALL_P50][round] = 2 * half.p50_ns;
    run->samples[mode][CALL_P99][round] = 2 * half.p99_ns;
    return true;
}

static bool send_batch(served_run *run, served_mode mode, unsigned batch)
{
    const uint64_t payload = 1;
    tc_error err = {0};
    tc_status status = enter(run, mode, &err);
    if (status != TC_OK)
        return perf_context_complain(run->session, "lock", &err);
    for (unsigned i = 0; i < batch && status == TC_OK; i++)
        status = tc_send_wait(run->link.peer, run->link.function, &payload, sizeof payload,
                              PERF_SILENCE_NS, &err);
    leave(run, mode);
    return status == TC_OK || perf_context_complain(run->session, "send", &err);
}

static bool flush(served_run *run, served_mode mode)
{
    tc_error err = {0};
    if (enter(run, mode, &err) != TC_OK)
        return perf_context_complain(run->session, "lock", &err);
    bool ok = ifunc_link_flush(&run->link);
    leave(run, mode);
    return ok;
}

static bool measure_rate(served_run *run, served_mode mode, unsigned round, unsigned batch)
{
    const uint64_t count = run->options->iterations * MESSAGES_PER_CALL / BATCH * BATCH + BATCH;
    const uint64_t start_ns = perf_now_ns();
    for (uint64_t i = 0; i < count; i += batch) {
        if (!send_batch(run, mode, batch))
            return false;
    }
    if (!flush(run, mode))
        return false;
    double seconds = (double)(perf_now_ns() - start_ns) / (double)PERF_NS_PER_S;
    run->samples[mode][batch > 1 ? BATCH_RATE : RATE][round] = (double)count / seconds;
    return true;
}

static bool measure_mode(served_run *run, served_mode mode, unsigned round)
{
    if (mode == MODE_SERVED && !start_thread(run))
        return false;
    bool ok = measure_calls(run, mode, round) && measure_rate(run, mode, round, 1) &&
              measure_rate(run, mode, round, BATCH);
    return (mode != MODE_SERVED || stop_thread(run)) && ok;
}

/* A session ends after a long silence. */
static bool say_alive(served_run *run)
{
    return perf_session_command(run->session, ACTION_ROUND, 0, 0) &&
           perf_session_reply(run->session);
}

static bool measure_all(served_run *run)
{
    perf_context_delivery(run->link.peer, run->delivery, NULL);
    if (!call_once(run, MODE_OWN)) /* the target prepares the code */
        return false;
    for (unsigned round = 0; round < run->options->rounds; round++) {
        perf_report_progress("round %u", round + 1);
        for (served_mode mode = MODE_OWN; mode < MODE_COUNT; mode++) {
            if (!measure_mode(run, mode, round) || !say_alive(run))
                return false;
        }
    }
    perf_report_progress(NULL);
    return true;
}

static bool run_source(served_run *run)
{
    if (!open_link(run))
        return false;
    bool ok = measure_all(run);
    ok = perf_session_command(run->session, ACTION_CLOSE, 0, 0) &&
         perf_session_reply(run->session) && ok;
    ifunc_link_close(&run->link);
    return ok;
}

/* --- the report -------------------------------------------------------------------------- */

static void report_ratios(served_run *run, json_t *ratios, served_mode mode)
{
    static const char *const names[] = {"call", "call_p99", "rate", "batch_rate"};
    const unsigned rounds = run->options->rounds;
    double each[rounds];
    char name[64];
    for (unsigned f = 0; f < FIGURE_COUNT; f++) {
        for (unsigned i = 0; i < rounds; i++)
            each[i] = run->samples[mode][f][i] / run->samples[MODE_OWN][f][i];
        double ratio = perf_stats_median(each, rounds);
        (void)snprintf(name, sizeof name, "%s_to_own_%s", mode_names[mode], names[f]);
        (void)json_object_set_new(ratios, name, perf_report_number(ratio));
        if (!perf_report_is_quiet(run->options))
            (void)printf("%-24s %8.3f\n", name, ratio);
    }
}

static void report_row(served_run *run, json_t *rows, served_mode mode)
{
    perf_spread spread[FIGURE_COUNT];
    json_t *row = json_pack("{s:s, s:s}", "mode", mode_names[mode], "delivery", run->delivery);
    for (unsigned f = 0; f < FIGURE_COUNT; f++) {
        spread[f] = perf_stats_spread(run->samples[mode][f], run->options->rounds);
        perf_report_spread(row, figure_names[f], spread[f], 1);
    }
    (void)json_array_append_new(rows, row);
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-8s %-8s %12.0f %12.0f %12.3f %12.3f\n", mode_names[mode], run->delivery,
                     spread[CALL_P50].median, spread[CALL_P99].median,
                     spread[RATE].median / 1e6, spread[BATCH_RATE].median / 1e6);
}

/* Ratios first: rows sort the samples. */
static bool write_report(served_run *run)
{
    json_t *report = perf_report_create(run->options);
    for (served_mode mode = MODE_LOCK; mode < MODE_COUNT; mode++)
        report_ratios(run, json_object_get(report, "ratios"), mode);
    if (!perf_report_is_quiet(run->options))
        (void)printf("\n%-8s %-8s %12s %12s %12s %12s\n", "mode", "delivery", "call p50 ns",
                     "p99 ns", "rate M/s", "by 32 M/s");
    for (served_mode mode = MODE_OWN; mode < MODE_COUNT; mode++)
        report_row(run, json_object_get(report, "rows"), mode);
    return perf_report_write(run->options, report);
}

static bool make_room(served_run *run)
{
    bool ok = (run->stamps = calloc(run->options->iterations + 1, sizeof(uint64_t))) != NULL;
    for (unsigned i = 0; i < (unsigned)MODE_COUNT * FIGURE_COUNT; i++) {
        double **samples = &run->samples[i / FIGURE_COUNT][i % FIGURE_COUNT];
        ok = (*samples = calloc(run->options->rounds, sizeof(double))) != NULL && ok;
    }
    return ok;
}

static int run_served(const perf_options *options)
{
    perf_session session;
    served_run run = {.options = options, .session = &session};
    bool ok = make_room(&run) && perf_session_start(&session, options->cpus, serve, &run);
    ok = ok && run_source(&run);
    ok = perf_session_end(&session) && ok;
    ok = ok && write_report(&run);
    for (unsigned i = 0; i < (unsigned)MODE_COUNT * FIGURE_COUNT; i++)
        free(run.samples[i / FIGURE_COUNT][i % FIGURE_COUNT]);
    free(run.stamps);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment served_experiment = {
    .name = "served",
    .summary = "a context that serves itself, beside the program's own loop",
    .options = "iterations rounds pin",
    .defaults = {{"iterations", "2000"}, {"rounds", "10"}, {"pin", "none"}},
    .iterations_max = CALLS_MAX,
    .run = run_served,
};
