/* The cost of a turn of tc_progress for a target with silent peers: one target, one source that
 * opens more and more endpoints to it, and the slope between. */
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_session.h"
#include "perf_stats.h"
#include "process_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tc/context.h>
#include <tc/endpoint.h>

#define TURNS 2000u
#define SAMPLES 101u

enum { ACTION_ACCEPT = 1, ACTION_MEASURE = 2, ACTION_CLOSE = 3 };

/* Figures of the target, with its peers open. */
typedef struct poll_result {
    perf_spread turn_ns;
    process_sample process;
} poll_result;

typedef struct poll_run {
    const perf_options *options;
    perf_session *session;
    tc_context *context;
    tc_listener *listener; /* target */
    unsigned open;         /* endpoints */
    tc_ep **peers;         /* source */
    char delivery[PERF_DELIVERY_NAME_MAX];
    json_t *rows;
} poll_run;

static void endpoint_changed(void *user, tc_ep *ep, tc_ep_event event)
{
    poll_run *run = user;
    (void)ep;
    run->open += event == TC_EP_OPENED ? 1u : -1u;
}

static bool create_context(poll_run *run)
{
    tc_error err = {0};
    const char *delivery = run->options->deliveries[0];
    const perf_setting setting = {"delivery", *delivery != '\0' ? delivery : NULL};
    return perf_context_create(&setting, 1, &run->context, &err) == TC_OK ||
           perf_context_complain(run->session, "context", &err);
}

/* --- target -------------------------------------------------------------------------- */

static bool progress_until_open(poll_run *run, uint64_t count)
{
    perf_poll poll = {.session = run->session};
    while (run->open != count) {
        if (tc_progress(run->context) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return perf_session_complain(run->session, "%u of %u endpoints came or went",
                                         run->open, (unsigned)count);
    }
    return true;
}

/* The median of many short samples: an interrupted one counts as one. */
static bool measure_turns(poll_run *run)
{
    double samples[SAMPLES];
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t start = perf_ticks();
        for (unsigned n = 0; n < TURNS; n++)
            (void)tc_progress(run->context);
        samples[i] = (double)(perf_ticks() - start) * perf_clock_ns_per_tick() / TURNS;
    }
    poll_result result = {.turn_ns = perf_stats_spread(samples, SAMPLES)};
    if (!process_sample_take(getpid(), &result.process))
        return perf_session_complain(run->session, "/proc does not show this process");
    return perf_session_send(run->session, &result, sizeof result);
}

static bool serve(perf_session *session, void *experiment)
{
    poll_run *run = experiment;
    perf_command command;
    run->session = session;
    if (!create_context(run))
        return false;
    tc_context_set_ep_callback(run->context, endpoint_changed, run);
    if (!perf_context_listen(session, run->context, &run->listener))
        return false;
    uint16_t port = tc_listener_port(run->listener);
    bool ok = perf_session_send(session, &port, sizeof port);
    while (ok && (ok = perf_session_next(session, &command)) && command.action != 0) {
        ok = command.action == ACTION_MEASURE ? measure_turns(run)
                                              : progress_until_open(run, command.count);
        ok = perf_session_answer(session, ok) && ok;
    }
    tc_listener_close(run->listener);
    tc_context_destroy(run->context);
    return ok;
}

/* --- source -------------------------------------------------------------------------- */

static bool open_endpoints(poll_run *run, uint16_t port, uint64_t count)
{
    if (!perf_session_command(run->session, ACTION_ACCEPT, 0, count))
        return false;
    while (run->open < count) {
        tc_ep **peer = &run->peers[run->open];
        if (!perf_context_connect(run->session, run->context, port, peer))
            return false;
        perf_context_delivery(*peer, run->delivery, NULL);
        run->open++;
    }
    return perf_session_reply(run->session);
}

static bool close_endpoints(poll_run *run)
{
    if (!perf_session_command(run->session, ACTION_CLOSE, 0, 0))
        return false;
    while (run->open > 0)
        tc_ep_close(run->peers[--run->open]);
    return perf_session_reply(run->session);
}

static bool measure(poll_run *run, poll_result *result_out)
{
    size_t size;
    return perf_session_command(run->session, ACTION_MEASURE, 0, 0) &&
           perf_session_recv(run->session, result_out, sizeof *result_out, &size) &&
           perf_session_reply(run->session);
}

static void report_row(poll_run *run, const poll_result *result)
{
    const process_sample *process = &result->process;
    json_t *row = json_pack("{s:s, s:i, s:I, s:I}", "delivery", run->delivery, "peers",
                            (int)run->open, "descriptors", (json_int_t)process->descriptors,
                            "memory_bytes", (json_int_t)process->rss_bytes);
    perf_report_spread(row, "turn_ns", result->turn_ns, 1);
    (void)json_array_append_new(run->rows, row);
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-8s %8u %12.1f %12u %10.1f\n", run->delivery, run->open,
                     result->turn_ns.median, (unsigned)process->descriptors,
                     (double)process->rss_bytes / (1 << 20));
}

static bool step_through(poll_run *run, uint16_t port, double *slope_ns_out)
{
    const perf_options *options = run->options;
    poll_result first = {0}, last = {0};
    for (unsigned i = 0; i < options->endpoints.count; i++) {
        perf_report_progress("%u endpoints", (unsigned)options->endpoints.values[i]);
        if (!open_endpoints(run, port, options->endpoints.values[i]) || !measure(run, &last))
            return false;
        perf_report_progress(NULL);
        report_row(run, &last);
        if (i == 0)
            first = last;
    }
    double more = (double)(run->open - options->endpoints.values[0]);
    *slope_ns_out = more > 0 ? (last.turn_ns.median - first.turn_ns.median) / more : 0;
    return true;
}

static bool run_source(poll_run *run, double *slope_ns_out)
{
    uint16_t port;
    size_t size;
    if (!perf_session_recv(run->session, &port, sizeof port, &size) || !create_context(run))
        return false;
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-8s %8s %12s %12s %10s\n", "delivery", "peers", "turn ns", "descriptors",
                     "memory MB");
    bool ok = step_through(run, port, slope_ns_out) && close_endpoints(run);
    tc_context_destroy(run->context);
    return ok;
}

static bool write_report(poll_run *run, double slope_ns)
{
    json_t *report = perf_report_create(run->options);
    (void)json_object_set(report, "rows", run->rows);
    (void)json_object_set_new(json_object_get(report, "ratios"), "ns_per_idle_peer",
                              perf_report_number(slope_ns));
    if (!perf_report_is_quiet(run->options))
        (void)printf("\none idle peer more: %.2f ns; medians of %u samples of %u turns\n",
                     slope_ns, SAMPLES, TURNS);
    return perf_report_write(run->options, report);
}

static int run_poll(const perf_options *options)
{
    perf_session session;
    double slope_ns = 0;
    poll_run run = {.options = options, .session = &session, .rows = json_array()};
    run.peers = calloc((size_t)options->endpoints.values[options->endpoints.count - 1],
                       sizeof(tc_ep *));
    bool ok = run.peers != NULL && run.rows != NULL &&
              perf_session_start(&session, options->cpus, serve, &run);
    ok = ok && run_source(&run, &slope_ns);
    perf_report_progress(NULL);
    ok = perf_session_end(&session) && ok;
    ok = ok && write_report(&run, slope_ns);
    json_decref(run.rows);
    free(run.peers);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment poll_experiment = {
    .name = "poll",
    .summary = "what idle endpoints cost a target that polls",
    .options = "endpoints pin",
    .defaults = {{"endpoints", "1..256"}},
    .run = run_poll,
};
