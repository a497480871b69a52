/* Calls of a function with a value that is new to its target: as a hole of code that the target
 * has, as code of its own, and in the payload. The target polls. */
#include "ifunc_link.h"
#include "ifuncs/filter.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tc/call.h>

#define ARCHIVE_MAX (64u << 10)
#define WARMING 50u
#define VALUES_OF_A_ROUND 100u
#define ROUNDS_MAX 200u
#define VALUES_MAX (ROUNDS_MAX * VALUES_OF_A_ROUND)
/* Between two values, so that the target polls again. */
#define PAUSE_US 200u

enum { ACTION_SERVE = 1 };

/* The times of each value. */
typedef enum holes_step {
    STEP_FILL,
    STEP_FILLED_CALL,
    STEP_FILLED,
    STEP_AGAIN,
    STEP_OPEN,
    STEP_WHOLE_CALL,
    STEP_WHOLE,
    STEP_PAYLOAD,
    STEPS
} holes_step;

static const char *const step_names[STEPS] = {
    "fill",           "first call of it",    "fill to result",
    "second call",    "open an archive",     "first call of it",
    "open to result", "value in the payload"};
static const char *const ways[STEPS] = {"hole",    "hole",    "hole",    "hole",
                                        "archive", "archive", "archive", "payload"};

typedef struct holes_state {
    const perf_options *options;
    perf_session *session;
    ifunc_link link;
    tc_ifunc *whole; /* the function that takes its value from the payload */
    unsigned char archive[ARCHIVE_MAX];
    size_t archive_size;
    uint64_t values;            /* that are measured */
    uint64_t (*ns)[VALUES_MAX]; /* by step */
} holes_state;

static bool open_link(holes_state *run)
{
    const char *delivery = run->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .path = run->options->ifunc_path,
                                      .name = "filter"};
    return ifunc_link_open(&run->link, run->session, &config);
}

static bool target_step(void *experiment, const perf_command *command)
{
    holes_state *run = experiment;
    if (command->action != ACTION_SERVE || !open_link(run))
        return false;
    const bool ok = ifunc_link_serve(&run->link);
    ifunc_link_close(&run->link);
    return ok;
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- source ------------------------------------------------------------------------------ */

static bool call(holes_state *run, tc_ifunc *fn, uint64_t threshold)
{
    filter_request request = {.threshold = threshold};
    uint64_t count = 0;
    size_t size = sizeof count;
    tc_error err = {0};
    for (uint64_t i = 0; i < FILTER_ROWS; i++)
        request.rows[i] = threshold - 3 + i;
    if (tc_call(run->link.peer, fn, &request, sizeof request, &count, &size, PERF_SILENCE_NS,
                &err) != TC_OK)
        return perf_session_complain(run->session, "call: %s", err.text);
    if (count != filter_count(&request, threshold))
        return perf_session_complain(run->session, "%llu rows above %llu, expected %llu",
                                     (unsigned long long)count, (unsigned long long)threshold,
                                     (unsigned long long)filter_count(&request, threshold));
    return true;
}

static bool measure_filled(holes_state *run, uint64_t value, uint64_t times[STEPS])
{
    const tc_hole_value threshold = TC_HOLE_VALUE("threshold", value);
    tc_ifunc *filled;
    tc_error err = {0};
    const uint64_t start_ns = perf_now_ns();
    if (tc_ifunc_fill(run->link.function, &threshold, 1, &filled, &err) != TC_OK)
        return perf_session_complain(run->session, "fill: %s", err.text);
    const uint64_t filled_ns = perf_now_ns();
    bool ok = call(run, filled, value);
    const uint64_t called_ns = perf_now_ns();
    ok = ok && call(run, filled, value);
    times[STEP_FILL] = filled_ns - start_ns;
    times[STEP_FILLED_CALL] = called_ns - filled_ns;
    times[STEP_FILLED] = called_ns - start_ns;
    times[STEP_AGAIN] = perf_now_ns() - called_ns;
    tc_ifunc_close(filled);
    return ok;
}

static bool measure_whole(holes_state *run, uint64_t value, uint64_t times[STEPS])
{
    tc_ifunc *fn;
    tc_error err = {0};
    const uint64_t start_ns = perf_now_ns();
    if (perf_context_open_new(run->link.context, run->archive, run->archive_size,
                              (unsigned)value, &fn, &err) != TC_OK)
        return perf_session_complain(run->session, "open: %s", err.text);
    const uint64_t opened_ns = perf_now_ns();
    const bool ok = call(run, fn, value);
    const uint64_t called_ns = perf_now_ns();
    times[STEP_OPEN] = opened_ns - start_ns;
    times[STEP_WHOLE_CALL] = called_ns - opened_ns;
    times[STEP_WHOLE] = called_ns - start_ns;
    tc_ifunc_close(fn);
    return ok;
}

static bool measure_payload(holes_state *run, uint64_t value, uint64_t times[STEPS])
{
    const uint64_t start_ns = perf_now_ns();
    const bool ok = call(run, run->whole, value);
    times[STEP_PAYLOAD] = perf_now_ns() - start_ns;
    return ok;
}

static bool measure(holes_state *run)
{
    const uint64_t values = run->values;
    for (uint64_t i = 0; i < values + WARMING; i++) {
        uint64_t times[STEPS];
        if (!measure_filled(run, i + 1, times) || !measure_whole(run, i + 1, times) ||
            !measure_payload(run, i + 1, times))
            return false;
        for (unsigned step = 0; step < STEPS && i >= WARMING; step++)
            run->ns[step][i - WARMING] = times[step];
        (void)usleep(PAUSE_US);
    }
    return true;
}

static bool open_whole(holes_state *run)
{
    tc_error err = {0};
    run->archive_size = perf_context_read_archive(run->options->ifunc_path, "filter_whole",
                                                  run->archive, sizeof run->archive);
    if (run->archive_size == 0)
        return perf_session_complain(run->session, "cannot read filter_whole.tca");
    const tc_code code = {.bytes = run->archive, .size = run->archive_size};
    if (tc_ifunc_open_code(run->link.context, &code, &run->whole, &err) != TC_OK)
        return perf_session_complain(run->session, "open: %s", err.text);
    return true;
}

static bool source_run(holes_state *run)
{
    if (!perf_session_command(run->session, ACTION_SERVE, 0, 0) || !open_link(run))
        return false;
    const bool ok = open_whole(run) && measure(run);
    perf_session_set_ended(run->session);
    ifunc_link_close(&run->link);
    return perf_session_reply(run->session) && ok;
}

/* --- the report -------------------------------------------------------------------------- */

static void report(holes_state *run, json_t *document)
{
    const bool quiet = perf_report_is_quiet(run->options);
    double p50[STEPS];
    if (!quiet)
        (void)printf("%-8s %-21s %9s %9s\n", "way", "step", "p50 us", "p99 us");
    for (unsigned step = 0; step < STEPS; step++) {
        const perf_tail tail = perf_stats_tail(run->ns[step], run->values);
        const double low = (double)perf_stats_percentile(run->ns[step], run->values, 25);
        const double high = (double)perf_stats_percentile(run->ns[step], run->values, 75);
        json_t *row = json_pack("{s:s, s:s, s:[o, o]}", "way", ways[step], "step",
                                step_names[step], "us_p50_quartiles",
                                perf_report_number(low / 1e3), perf_report_number(high / 1e3));
        perf_report_tail(row, "us", &tail, 1e-3);
        (void)json_array_append_new(json_object_get(document, "rows"), row);
        p50[step] = (double)tail.p50;
        if (!quiet)
            (void)printf("%-8s %-21s %9.2f %9.2f\n", ways[step], step_names[step],
                         (double)tail.p50 / 1e3, (double)tail.p99 / 1e3);
    }
    (void)json_object_set_new(json_object_get(document, "ratios"), "hole_to_archive",
                              perf_report_number(p50[STEP_FILLED] / p50[STEP_WHOLE]));
    if (!quiet)
        (void)printf("\n%llu values, each new to the target; hole_to_archive %.3f\n",
                     (unsigned long long)run->values, p50[STEP_FILLED] / p50[STEP_WHOLE]);
    (void)fflush(stdout);
}

int holes_run(const perf_options *options)
{
    static uint64_t ns[STEPS][VALUES_MAX];
    static holes_state run;
    perf_session session;
    const unsigned rounds = options->rounds < ROUNDS_MAX ? options->rounds : ROUNDS_MAX;
    run = (holes_state){.options = options,
                        .session = &session,
                        .values = (uint64_t)rounds * VALUES_OF_A_ROUND,
                        .ns = ns};
    bool ok = perf_session_start(&session, options->cpus, serve, &run) && source_run(&run);
    ok = perf_session_end(&session) && ok;
    json_t *document = perf_report_create(options);
    if (ok)
        report(&run, document);
    ok = perf_report_write(options, document) && ok;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
