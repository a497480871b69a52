/* Functions that wait: the time in which one begins and ends beside a bare switch of stacks,
 * waits and goes on; the time and memory of very many; and the rate of other messages
 * meanwhile. The source's side: it sends the orders, and gathers the figures. */
#include "tasks_run.h"

#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_mode.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <stdio.h>
#include <stdlib.h>

#define WORD_TRIPS 2000u
#define ONE_COUNT 200000u
#define RATE_SECONDS 0.025
#define RATE_TRIAL 20000u
/* From the first order to the first deadline: so many times as long as creation took. */
#define LEAD_NS (20 * PERF_NS_PER_MS)
#define LEAD_OF_RATE_NS (200 * PERF_NS_PER_MS)
#define CREATE_NS 2000.0 /* at first */
#define PATIENCE 2u
#define PATIENCE_MAX 16u

static void note(tasks_run *run, tasks_figure figure, double value)
{
    run->samples[figure][run->round] = value;
}

/* --- messages ---------------------------------------------------------------------------- */

static bool send_to(tasks_run *run, tc_ep *peer, tc_ifunc *fn, const void *payload, size_t size)
{
    perf_poll poll = {.session = run->session};
    tc_status status;
    while ((status = tc_send(peer, fn, payload, size)) == TC_E_AGAIN) {
        if (!tasks_target_progress(run, &poll, false))
            return false;
    }
    return status == TC_OK || ifunc_link_send_failed(&run->link, status);
}

static bool flush_all(tasks_run *run)
{
    for (unsigned i = 0; i < run->peer_count; i++) {
        tc_status status = tc_ep_flush(run->peers[i], PERF_SILENCE_NS, NULL);
        if (status != TC_OK)
            return perf_session_complain(run->session, "flush: %s", tc_status_text(status));
    }
    return ifunc_link_flush(&run->link);
}

/* Starts a step that the source ends, and waits until the target serves it. */
static bool begin_step(tasks_run *run, uint32_t action, uint64_t count)
{
    return perf_session_command(run->session, action, 0, count) &&
           perf_session_await_ready(run->session);
}

static bool measure_rate(tasks_run *run, uint64_t count, double *per_s_out)
{
    const uint64_t payload = 1;
    if (!begin_step(run, TASKS_ACTION_SERVE, 0))
        return false;
    const uint64_t start_ns = perf_now_ns();
    for (uint64_t i = 0; i < count; i++) {
        if (!send_to(run, run->peers[0], run->link.function, &payload, sizeof payload))
            return false;
    }
    if (!ifunc_link_flush(&run->link))
        return false;
    *per_s_out = (double)count * PERF_NS_PER_S / (double)(perf_now_ns() - start_ns);
    perf_session_set_ended(run->session);
    return perf_session_reply(run->session);
}

/* One endpoint's tasks are three quarters of those that others leave: tc/task.h. */
static uint64_t share_of(uint64_t others)
{
    return (TASKS_CONTEXT_MAX - others) / 4 * 3;
}

static bool open_peers(tasks_run *run)
{
    uint64_t tasks = 0;
    uint16_t port = 0;
    size_t size;
    run->peers[0] = run->link.peer;
    run->peer_count = 1;
    if (!perf_session_recv(run->session, &port, sizeof port, &size) ||
        !begin_step(run, TASKS_ACTION_SERVE, 0))
        return false;
    while ((tasks += share_of(tasks)) < run->options->iterations) {
        if (!perf_context_connect(run->session, run->link.context, port,
                                  &run->peers[run->peer_count++]))
            return false;
    }
    perf_session_set_ended(run->session);
    return perf_session_reply(run->session);
}

static bool close_peers(tasks_run *run)
{
    if (!begin_step(run, TASKS_ACTION_SERVE, 0))
        return false;
    while (run->peer_count > 1)
        tc_ep_close(run->peers[--run->peer_count]);
    perf_session_set_ended(run->session);
    return perf_session_reply(run->session);
}

/* --- many tasks -------------------------------------------------------------------------- */

/* The numbers in order, or shuffled, in each round another way. */
static void make_order(tasks_run *run, uint64_t tasks, bool is_random)
{
    for (uint64_t i = 0; i < tasks; i++)
        run->order[i] = (uint32_t)i;
    for (uint64_t i = tasks; is_random && i > 1; i--) {
        run->random = run->random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t other = (run->random >> 32) % i;
        const uint32_t word = run->order[other];
        run->order[other] = run->order[i - 1];
        run->order[i - 1] = word;
    }
}

static bool send_orders(tasks_run *run, tasks_order order, uint64_t tasks)
{
    const uint64_t base = order.at;
    uint64_t before = 0, upto = share_of(0);
    unsigned peer = 0;
    for (uint64_t i = 0; i < tasks; i++) {
        /* One after the other, as each has a share of those that the others have left. */
        if (i == upto) {
            if (!flush_all(run))
                return false;
            before = upto;
            upto += share_of(before);
            peer++;
        }
        order.at = order.kind == TASKS_SLEEP ? base + run->order[i] * TASKS_SPACING_NS : i;
        if (!send_to(run, run->peers[peer], run->wait, &order, sizeof order))
            return false;
    }
    return flush_all(run);
}

/* Calls of the target's tasks arrive here, and are answered later. */
static bool await_calls(tasks_run *run, uint64_t tasks)
{
    perf_poll poll = {.session = run->session};
    while (run->target.held < tasks) {
        if (!tasks_target_progress(run, &poll, false))
            return false;
    }
    return true;
}

/* Sends the orders and waits until all tasks wait. */
static bool fill(tasks_run *run, const tasks_order *order, uint64_t tasks, uint64_t lead_ns,
                 tasks_filled *filled, double *create_ns_out)
{
    size_t size;
    tasks_order shifted = *order;
    run->target.held = run->target.answered = run->target.ended = run->target.failed = 0;
    if (!begin_step(run, TASKS_ACTION_FILL, tasks))
        return false;
    const uint64_t start_ns = perf_now_ns();
    shifted.at = start_ns + lead_ns;
    if (!send_orders(run, shifted, tasks) ||
        (order->kind == TASKS_ASK && !await_calls(run, tasks)))
        return false;
    *create_ns_out = (double)(perf_now_ns() - start_ns) / (double)tasks;
    perf_session_set_ended(run->session);
    if (!perf_session_recv(run->session, filled, sizeof *filled, &size) ||
        !perf_session_reply(run->session))
        return false;
    run->last_ns = shifted.at + tasks * TASKS_SPACING_NS;
    return filled->waiting == tasks || filled->woken > 0 ||
           perf_session_complain(run->session, "%llu of %llu tasks wait",
                                 (unsigned long long)filled->waiting,
                                 (unsigned long long)tasks);
}

/* Progresses while the target's tasks end. */
static bool await_woken(tasks_run *run, tasks_woken *woken)
{
    perf_session *session = run->session;
    perf_poll poll = {.session = session};
    size_t size;
    while (atomic_load_explicit(&session->control->done, memory_order_acquire) !=
           session->step) {
        if (!tasks_target_progress(run, &poll, perf_now_ns() < run->last_ns))
            return false;
    }
    return perf_session_recv(session, woken, sizeof *woken, &size) &&
           perf_session_reply(session);
}

typedef struct tasks_sleeps {
    tasks_filled filled;
    tasks_woken woken;
    double create_ns;
    bool has_rate;
    double rate_per_s; /* of other messages, meanwhile */
} tasks_sleeps;

static bool sleep_once(tasks_run *run, uint64_t tasks, tasks_sleeps *out)
{
    const tasks_order order = {.kind = TASKS_SLEEP, .count = tasks_run_turns(tasks)};
    const uint64_t create_ns = (uint64_t)(run->create_ns * (double)tasks);
    const uint64_t lead_ns =
        run->patience * (create_ns + LEAD_NS + (out->has_rate ? LEAD_OF_RATE_NS : 0));
    return fill(run, &order, tasks, lead_ns, &out->filled, &out->create_ns) &&
           (!out->has_rate || measure_rate(run, run->rate_count, &out->rate_per_s)) &&
           perf_session_command(run->session, TASKS_ACTION_WAKE, 0, run->last_ns) &&
           await_woken(run, &out->woken);
}

/* Repeated with more time where a busy machine was too slow for the first deadline. */
static bool measure_sleeps(tasks_run *run, uint64_t tasks, bool is_random, tasks_sleeps *out)
{
    make_order(run, tasks, is_random);
    do {
        if (!sleep_once(run, tasks, out))
            return false;
        if (!out->woken.is_early) {
            run->patience = PATIENCE;
            return true;
        }
        if (tasks > TASKS_FEW && out->create_ns > run->create_ns)
            run->create_ns = out->create_ns;
    } while ((run->patience *= 2) <= PATIENCE_MAX);
    return perf_session_complain(run->session,
                                 "%llu tasks could not be made before the first one went on",
                                 (unsigned long long)tasks);
}

static bool measure_answers(tasks_run *run, uint64_t tasks, bool is_random)
{
    const tasks_order order = {.kind = TASKS_ASK};
    tasks_filled filled;
    tasks_woken woken;
    double create_ns;
    make_order(run, tasks, is_random);
    if (!fill(run, &order, tasks, 0, &filled, &create_ns) ||
        !perf_session_command(run->session, TASKS_ACTION_ANSWER, 0, 0) ||
        !await_woken(run, &woken))
        return false;
    if (run->target.failed > 0 || run->target.answered != tasks || woken.is_early)
        return perf_session_complain(run->session, "%llu of %llu calls were answered",
                                     (unsigned long long)run->target.answered,
                                     (unsigned long long)tasks);
    note(run, is_random ? TASKS_ANSWER_RANDOM : TASKS_ANSWER_ORDERED, woken.wake_ns);
    note(run, TASKS_CREATE_CALL, create_ns);
    note(run, TASKS_RESIDENT_CALL, (double)filled.resident_bytes / (double)tasks);
    note(run, TASKS_ALLOCATED_CALL, (double)filled.allocated_bytes / (double)tasks);
    return true;
}

static bool measure_many(tasks_run *run)
{
    const uint64_t tasks = run->options->iterations;
    const uint64_t calls = tasks_run_count(run, TASKS_CREATE_CALL);
    tasks_sleeps ordered = {.has_rate = true}, random = {.has_rate = false};
    double quiet_per_s;
    if (!measure_rate(run, run->rate_count, &quiet_per_s) ||
        !measure_sleeps(run, tasks, false, &ordered) ||
        !measure_sleeps(run, tasks, true, &random) || !measure_answers(run, calls, false) ||
        !measure_answers(run, calls, true))
        return false;
    note(run, TASKS_RATE_QUIET, quiet_per_s);
    note(run, TASKS_RATE_WAITING, ordered.rate_per_s);
    note(run, TASKS_SLEEP_ORDERED, ordered.woken.wake_ns);
    note(run, TASKS_SLEEP_RANDOM, random.woken.wake_ns);
    note(run, TASKS_SUSPEND_ORDERED, ordered.woken.suspend_ns);
    note(run, TASKS_SUSPEND_RANDOM, random.woken.suspend_ns);
    note(run, TASKS_CREATE_SLEEP, ordered.create_ns);
    note(run, TASKS_RESIDENT_SLEEP, (double)ordered.filled.resident_bytes / (double)tasks);
    note(run, TASKS_ALLOCATED_SLEEP, (double)ordered.filled.allocated_bytes / (double)tasks);
    return true;
}

/* --- few tasks --------------------------------------------------------------------------- */

/* Half the round trip of a word in shared memory: by it the processors are near or far. */
static bool measure_word(tasks_run *run)
{
    uint64_t words[8] = {0}, stamps[WORD_TRIPS + 1];
    perf_series series = {.session = run->session, .state = words};
    if (!perf_mode_bare.open(&series) ||
        !perf_session_command(run->session, TASKS_ACTION_WORD, 0, WORD_TRIPS) ||
        !perf_mode_bare.source_latency(&series, WORD_TRIPS, stamps))
        return false;
    note(run, TASKS_WORD, perf_stats_latency(stamps, WORD_TRIPS).p50_ns);
    return perf_session_reply(run->session);
}

static bool measure_one(tasks_run *run)
{
    const uint64_t count = ONE_COUNT;
    tasks_one one;
    size_t size;
    if (!begin_step(run, TASKS_ACTION_ONE, count) ||
        !send_to(run, run->peers[0], run->begin, &count, sizeof count) || !flush_all(run) ||
        !perf_session_recv(run->session, &one, sizeof one, &size))
        return false;
    note(run, TASKS_SWITCH, one.switch_ns);
    note(run, TASKS_SWITCH_RETURN, one.switch_return_ns);
    note(run, TASKS_CALL, one.call_ns);
    note(run, TASKS_BEGIN, one.begin_ns);
    note(run, TASKS_TURN, one.turn_ns);
    return perf_session_reply(run->session);
}

static bool measure_few(tasks_run *run)
{
    tasks_sleeps one = {.has_rate = false}, few = {.has_rate = false};
    if (!measure_word(run) || !measure_one(run) || !measure_sleeps(run, 1, false, &one) ||
        !measure_sleeps(run, TASKS_FEW, false, &few))
        return false;
    note(run, TASKS_SUSPEND_ONE, one.woken.suspend_ns);
    note(run, TASKS_SUSPEND_FEW, few.woken.suspend_ns);
    return true;
}

/* --- the experiment ---------------------------------------------------------------------- */

/* The first messages, for which code is prepared, and a rate, to choose a count by. */
static bool warm_up(tasks_run *run)
{
    const uint64_t calls = tasks_run_count(run, TASKS_CREATE_CALL);
    double per_s;
    perf_report_progress("the first messages");
    perf_context_delivery(run->link.peer, run->delivery, NULL);
    if (!measure_few(run) ||
        !measure_answers(run, calls < TASKS_FEW ? calls : TASKS_FEW, false) ||
        !measure_rate(run, RATE_TRIAL, &per_s) || !measure_rate(run, RATE_TRIAL, &per_s))
        return false;
    run->rate_count = (uint64_t)(per_s * RATE_SECONDS) + 1;
    return true;
}

static bool measure_all(tasks_run *run)
{
    run->random = 1;
    run->patience = PATIENCE;
    run->create_ns = CREATE_NS;
    if (!open_peers(run) || !warm_up(run))
        return false;
    for (run->round = 0; run->round < run->options->rounds; run->round++) {
        perf_report_progress("round %u", run->round + 1);
        if (!measure_few(run) || !measure_many(run))
            return false;
    }
    perf_report_progress(NULL);
    return close_peers(run);
}

static bool run_source(tasks_run *run)
{
    if (!tasks_target_open(run))
        return false;
    bool ok = measure_all(run);
    perf_report_progress(NULL);
    ok = perf_session_command(run->session, TASKS_ACTION_CLOSE, 0, 0) &&
         perf_session_reply(run->session) && ok;
    while (run->peer_count > 1)
        tc_ep_close(run->peers[--run->peer_count]);
    tasks_target_close(run);
    return ok;
}

/* As many numbers as tasks, or as the few of the first part. */
static bool make_memory(tasks_run *run)
{
    const uint64_t tasks = run->options->iterations;
    const size_t count = tasks > TASKS_FEW ? tasks : TASKS_FEW;
    run->order = calloc(count, sizeof *run->order);
    run->target.order = run->order;
    run->target.ticket = calloc(count, sizeof *run->target.ticket);
    bool ok = run->order != NULL && run->target.ticket != NULL;
    for (unsigned i = 0; i < TASKS_FIGURE_COUNT; i++)
        ok = (run->samples[i] = calloc(run->options->rounds, sizeof(double))) != NULL && ok;
    return ok;
}

static int run_tasks(const perf_options *options)
{
    perf_session session;
    tasks_run run = {.options = options, .session = &session};
    bool ok = make_memory(&run) &&
              perf_session_start(&session, options->cpus, tasks_target_serve, &run);
    ok = ok && run_source(&run);
    ok = perf_session_end(&session) && ok;
    ok = ok && tasks_report_write(&run);
    for (unsigned i = 0; i < TASKS_FIGURE_COUNT; i++)
        free(run.samples[i]);
    free(run.target.ticket);
    free(run.order);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

const perf_experiment tasks_experiment = {
    .name = "tasks",
    .summary = "functions that wait: their time and memory, from one to a million at once",
    .options = "iterations rounds pin",
    .told = {{"iterations", "- here tasks that wait at once"}},
    .defaults = {{"iterations", "100000"}, {"rounds", "10"}},
    .iterations_max = TASKS_MAX,
    .run = run_tasks,
};
