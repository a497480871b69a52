/* The cost of one peer's new functions for another peer: the latency of cached calls, while a
 * third process sends a hundred functions a second that the target has never seen, and while it
 * does not, in turns. */
#include "ifuncs/saxpy.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_experiment.h"
#include "perf_process.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

#define TURN_NS (PERF_NS_PER_S / 2)
#define CALL_PAUSE_US 100u
#define FUNCTION_PAUSE_US 10000u /* a hundred a second */
#define CALLS_MAX_ALL (1u << 18)
#define SPIN_NS 2000u /* option spin */
#define PATIENCE_NS (20 * PERF_NS_PER_S)

enum { QUIET, INTRUDED, ENDED };

static const char *const turn_names[] = {"quiet", "intruded"};

/* Memory of all processes. TSI adds one to `calls`, by which the caller sees it run; saxpy's
 * own data come right behind. */
typedef struct intrusion_board {
    _Alignas(64) _Atomic uint64_t calls;
    unsigned char of_saxpy[sizeof(saxpy_target)];
    _Alignas(64) _Atomic uint32_t turn;
    _Atomic uint32_t port;
    _Atomic uint32_t functions; /* that were new */
    uint64_t count[2];
    uint64_t ns[2][CALLS_MAX_ALL];
} intrusion_board;

typedef struct intrusion {
    const perf_options *options;
    intrusion_board *board;
} intrusion;

static bool complain(const char *what, const tc_error *err)
{
    (void)fprintf(stderr, "tc-perf: intrusion: %s: %s\n", what, err->text);
    return false;
}

static tc_context *create_context(const intrusion *run)
{
    const perf_setting settings[] = {
        {"ifunc_path", run->options->ifunc_path}, {"cache_dir", ""}, {"form", "bitcode"}};
    tc_error err = {0};
    tc_context *context = NULL;
    if (perf_context_create(settings, sizeof settings / sizeof settings[0], &context, &err) !=
        TC_OK)
        (void)complain("context", &err);
    return context;
}

/* --- the target ---------------------------------------------------------------------- */

static bool run_target(const intrusion *run, tc_context *context)
{
    tc_error err = {0};
    tc_listener *listener = NULL;
    tc_context_set_target_args(context, run->board);
    if (tc_listener_open(context, "127.0.0.1:0", &listener, &err) != TC_OK)
        return complain("listener", &err);
    atomic_store(&run->board->port, tc_listener_port(listener));
    while (atomic_load_explicit(&run->board->turn, memory_order_relaxed) != ENDED)
        (void)tc_progress(context);
    uint64_t end_ns = perf_now_ns() + PERF_NS_PER_S / 10;
    while (perf_now_ns() < end_ns) /* the others close */
        (void)tc_progress(context);
    return true;
}

static tc_ep *connect_target(const intrusion *run, tc_context *context)
{
    char address[32];
    tc_error err = {0};
    tc_ep *ep = NULL;
    uint64_t end_ns = perf_now_ns() + PATIENCE_NS;
    while (atomic_load(&run->board->port) == 0 && perf_now_ns() < end_ns)
        (void)usleep(1000);
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", atomic_load(&run->board->port));
    if (tc_ep_connect(context, address, PATIENCE_NS, &ep, &err) != TC_OK)
        (void)complain("connect", &err);
    return ep;
}

/* --- the caller ---------------------------------------------------------------------- */

static tc_status send_patiently(tc_ep *ep, tc_ifunc *fn, const void *payload, size_t size)
{
    tc_status status;
    while ((status = tc_send(ep, fn, payload, size)) == TC_E_AGAIN)
        (void)tc_progress(tc_ep_context(ep));
    return status;
}

/* From just before the send until the function has run. Yields soon, as waiting calls of the
 * library do: a caller that woke up on the target's processor would otherwise wait for a target
 * that waits for it. */
static bool time_call(const intrusion *run, tc_ep *ep, tc_ifunc *fn, uint64_t *ns_out)
{
    const uint64_t payload = 0, before = atomic_load(&run->board->calls);
    const uint64_t start_ns = perf_now_ns();
    if (send_patiently(ep, fn, &payload, sizeof payload) != TC_OK)
        return false;
    while (atomic_load_explicit(&run->board->calls, memory_order_acquire) == before) {
        (void)tc_progress(tc_ep_context(ep));
        uint64_t waited_ns = perf_now_ns() - start_ns;
        if (waited_ns > PATIENCE_NS)
            return false;
        if (waited_ns > SPIN_NS)
            (void)sched_yield();
    }
    *ns_out = perf_now_ns() - start_ns;
    return true;
}

static bool run_turn(const intrusion *run, tc_ep *ep, tc_ifunc *fn, uint32_t turn)
{
    intrusion_board *board = run->board;
    atomic_store(&board->turn, turn);
    for (uint64_t end_ns = perf_now_ns() + TURN_NS; perf_now_ns() < end_ns;) {
        uint64_t ns;
        if (!time_call(run, ep, fn, &ns))
            return false;
        if (board->count[turn] < CALLS_MAX_ALL)
            board->ns[turn][board->count[turn]++] = ns;
        (void)usleep(CALL_PAUSE_US);
    }
    return true;
}

static bool run_caller(const intrusion *run, tc_context *context)
{
    tc_error err = {0};
    tc_ifunc *fn = NULL;
    uint64_t ns;
    tc_ep *ep = connect_target(run, context);
    if (ep == NULL)
        return false;
    if (tc_ifunc_open(context, "tsi", &fn, &err) != TC_OK)
        return complain("tsi", &err);
    bool ok = time_call(run, ep, fn, &ns);
    for (unsigned round = 0; ok && round < run->options->rounds; round++)
        ok = run_turn(run, ep, fn, QUIET) && run_turn(run, ep, fn, INTRUDED);
    atomic_store(&run->board->turn, ENDED);
    tc_ep_close(ep);
    return ok;
}

/* --- the intruder -------------------------------------------------------------------- */

static bool send_new(const intrusion *run, tc_ep *ep, const unsigned char *archive, size_t size)
{
    static saxpy_request request; /* of no rounds */
    tc_error err = {0};
    tc_ifunc *fn = NULL;
    if (perf_context_open_new(tc_ep_context(ep), archive, size,
                              atomic_load(&run->board->functions), &fn, &err) != TC_OK)
        return complain("saxpy", &err);
    bool ok = send_patiently(ep, fn, &request, sizeof request) == TC_OK;
    tc_ifunc_close(fn);
    atomic_fetch_add(&run->board->functions, 1);
    return ok;
}

static bool run_intruder(const intrusion *run, tc_context *context)
{
    static unsigned char archive[1u << 16];
    size_t size = perf_context_read_archive(run->options->ifunc_path, "saxpy_bitcode", archive,
                                            sizeof archive);
    tc_ep *ep = connect_target(run, context);
    uint32_t turn;
    bool ok = ep != NULL && size > 0;
    while (ok && (turn = atomic_load(&run->board->turn)) != ENDED) {
        if (turn == INTRUDED)
            ok = send_new(run, ep, archive, size);
        (void)tc_progress(context);
        (void)usleep(FUNCTION_PAUSE_US);
    }
    if (ep != NULL)
        tc_ep_close(ep);
    return ok;
}

/* --- all three ----------------------------------------------------------------------- */

static bool in_context(const intrusion *run, bool (*role)(const intrusion *, tc_context *))
{
    tc_context *context = create_context(run);
    bool ok = context != NULL && role(run, context);
    tc_context_destroy(context);
    return ok;
}

static bool be_target(void *user)
{
    return in_context(user, run_target);
}

static bool be_caller(void *user)
{
    return in_context(user, run_caller);
}

static bool be_intruder(void *user)
{
    return in_context(user, run_intruder);
}

static bool report(const intrusion *run)
{
    intrusion_board *board = run->board;
    json_t *document = perf_report_create(run->options);
    double p99[2] = {0};
    bool quiet = perf_report_is_quiet(run->options);
    if (!quiet)
        (void)printf("turn          calls    us p50    us p99  us p99.9    us max\n");
    for (int turn = QUIET; turn <= INTRUDED; turn++) {
        uint64_t count = board->count[turn], *ns = board->ns[turn];
        const perf_tail tail = perf_stats_tail(ns, count);
        p99[turn] = (double)tail.p99;
        json_t *row =
            json_pack("{s:s, s:I, s:I}", "turn", turn_names[turn], "calls", (json_int_t)count,
                      "functions", (json_int_t)(turn == INTRUDED ? board->functions : 0));
        perf_report_tail(row, "us", &tail, 1e-3);
        (void)json_array_append_new(json_object_get(document, "rows"), row);
        if (!quiet)
            (void)printf("%-9s %9llu %9.2f %9.2f %9.2f %9.2f\n", turn_names[turn],
                         (unsigned long long)count, (double)tail.p50 / 1e3,
                         (double)tail.p99 / 1e3, (double)tail.p999 / 1e3,
                         (double)tail.max / 1e3);
    }
    (void)json_object_set_new(json_object_get(document, "ratios"), "intruded_to_quiet_p99",
                              perf_report_number(p99[INTRUDED] / p99[QUIET]));
    if (!quiet)
        (void)printf("\n%u new functions, %.0f a second; intruded_to_quiet_p99 %.3f\n",
                     board->functions,
                     board->functions * 1e9 / ((double)TURN_NS * run->options->rounds),
                     p99[INTRUDED] / p99[QUIET]);
    return perf_report_write(run->options, document);
}

int intrusion_run(const perf_options *options)
{
    intrusion run = {.options = options};
    run.board = perf_process_share(sizeof *run.board);
    if (run.board == NULL)
        return EXIT_FAILURE;
    static bool (*const roles[])(void *user) = {be_target, be_caller, be_intruder};
    bool ok = perf_process_run_all(roles, sizeof roles / sizeof roles[0], &run) &&
              run.board->count[QUIET] > 0 && run.board->count[INTRUDED] > 0 && report(&run);
    (void)munmap(run.board, sizeof *run.board);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
