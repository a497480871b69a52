/* Accepts connections, and starts, watches and stops the worker processes. A spare worker is
 * kept ready for the next peer. */
#include "node_broker.h"

#include "node_activation.h"
#include "node_counters.h"
#include "node_end.h"
#include "node_metrics.h"
#include "node_notify.h"
#include "node_say.h"
#include "node_service.h"
#include "node_settings.h"
#include "node_successor.h"
#include "node_worker.h"
#include "tool_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <tc/advanced.h>

#define WAIT_MS 100           /* between checks of clocks and the stop flag */
#define SPARES 1u             /* processes started ahead for the next peer */
#define STOP_NS 5000000000ull /* between the time of the drain and the kill of workers */
#define NS_PER_S 1000000000ull
#define FAILED_STARTS_MAX 3u /* consecutive */

typedef struct broker {
    const node_arguments *args;
    char **argv;
    tc_context *ctx;
    tc_listener *listener;
    node_worker *workers; /* `count` of them, in the order of their start */
    struct pollfd *fds;
    size_t count;
    size_t serving;         /* workers that have a peer */
    bool accepts;           /* peers, from now on */
    bool drains;            /* all are to end */
    bool cut_off;           /* a worker with a peer could not end in order then */
    unsigned failed_starts; /* consecutive workers that died before they were ready */
    node_counters sum;      /* counters of the workers that have ended */
    node_metrics metrics;
} broker;

/* --- processes ---------------------------------------------------------------------------- */

static node_worker *start_worker(broker *b)
{
    node_worker *worker = &b->workers[b->count];
    if (!node_worker_start(b->argv, worker)) {
        node_say(NODE_ERROR, "no process for functions: %s", strerror(errno));
        return NULL;
    }
    b->count++;
    return worker;
}

static void start_spares(broker *b)
{
    while (b->count - b->serving < SPARES && b->serving < b->args->processes &&
           start_worker(b) != NULL)
        ;
}

/* Returns the spare worker started first, which is the most likely to be ready; NULL without
 * one. */
static node_worker *find_spare(const broker *b)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->workers[i].connection < 0)
            return &b->workers[i];
    }
    return NULL;
}

static void on_connection(void *user, int connection, const char *peer)
{
    broker *b = user;
    char reason[128];
    node_worker *worker = NULL;
    if (b->serving < b->args->processes) {
        worker = find_spare(b);
        if (worker == NULL)
            worker = start_worker(b);
        (void)snprintf(reason, sizeof reason, "no process could be started for its functions");
    } else {
        (void)snprintf(reason, sizeof reason,
                       "all %" PRIu64 " processes of this node serve others (--processes)",
                       b->args->processes);
    }
    if (worker == NULL) {
        node_say(NODE_WARNING, "peer %s refused: %s", peer, reason);
        tc_connection_end(b->ctx, connection, reason);
        return;
    }
    b->serving++;
    (void)node_worker_give(worker, connection, peer); /* on failure it is about to end */
}

static void collect(broker *b, size_t i)
{
    node_worker *worker = &b->workers[i];
    b->failed_starts = worker->ready ? 0 : b->failed_starts + 1;
    b->serving -= worker->connection >= 0;
    const bool in_order = node_worker_collect(worker, b->ctx, &b->sum);
    b->cut_off |= b->drains && !in_order;
    memmove(worker, worker + 1, (b->count - i - 1) * sizeof *worker);
    b->count--;
}

/* --- the loop ----------------------------------------------------------------------------- */

static void look_at_workers(broker *b)
{
    uint64_t now_ns = tool_clock_ns();
    for (size_t i = b->count; i-- > 0;) {
        if (node_worker_look(&b->workers[i], &b->fds[1 + i * NODE_WORKER_FDS], now_ns))
            collect(b, i);
    }
}

static void wait_for_events(broker *b, int timeout_ms)
{
    b->fds[0] =
        (struct pollfd){.fd = b->accepts ? tc_context_fd(b->ctx) : -1, .events = POLLIN};
    for (size_t i = 0; i < b->count; i++)
        node_worker_watch(&b->workers[i], &b->fds[1 + i * NODE_WORKER_FDS]);
    size_t count = 1 + b->count * NODE_WORKER_FDS;
    if (poll(b->fds, (nfds_t)count, timeout_ms) <= 0) {
        for (size_t i = 0; i < count; i++)
            b->fds[i].revents = 0;
    }
}

/* Returns the sum over all workers, those that have ended and those that run. */
static node_counters counters_now(const broker *b)
{
    node_counters sum = b->sum;
    for (size_t i = 0; i < b->count; i++)
        node_worker_add_counters(&b->workers[i], &sum);
    return sum;
}

static uint64_t messages_run(const broker *b)
{
    const node_counters sum = counters_now(b);
    return node_counters_named(&sum, "messages_run");
}

static void tell_counters(broker *b)
{
    const node_counters sum = counters_now(b);
    node_metrics_tell(&b->metrics, &sum);
}

static void signal_workers(const broker *b, int number)
{
    for (size_t i = 0; i < b->count; i++)
        (void)kill(b->workers[i].pid, number);
}

static void reload(const broker *b)
{
    node_notify_reloading();
    if (b->args->config != NULL)
        node_settings_read_again(b->args->config);
    signal_workers(b, SIGHUP);
    node_notify_ready("settings are read again, and keys and lists by each process");
}

static int complain_of_starts(void)
{
    return node_end_complain("the processes for functions end before they are ready");
}

/* Lets a successor accept once it can serve, which the processes for functions alone find out:
 * they load the libraries and packages. Until then all peers are the other node's. Returns the
 * exit status, also when the end is wanted. */
static int await_first_worker(broker *b)
{
    while (!node_end_is_wanted() && b->failed_starts < FAILED_STARTS_MAX) {
        start_spares(b);
        wait_for_events(b, WAIT_MS);
        look_at_workers(b);
        if (b->count > 0 && b->workers[0].ready)
            return 0;
    }
    return node_end_is_wanted() ? 1 : complain_of_starts();
}

static int serve(broker *b)
{
    const int listening = tc_listener_fd(b->listener);
    b->accepts = true;
    while (!node_end_is_wanted()) {
        node_successor_turn(listening, node_metrics_socket(&b->metrics));
        node_metrics_turn(&b->metrics);
        start_spares(b);
        if (node_reload_is_wanted())
            reload(b);
        bool armed = tc_context_arm(b->ctx) != TC_E_AGAIN;
        wait_for_events(b, armed ? WAIT_MS : 0);
        look_at_workers(b);
        (void)tc_progress(b->ctx);
        if (node_metrics_due(&b->metrics))
            tell_counters(b);
        if (b->failed_starts >= FAILED_STARTS_MAX)
            return complain_of_starts();
        if (b->args->exit_after > 0 && messages_run(b) >= b->args->exit_after)
            (void)raise(SIGTERM);
    }
    return 0;
}

static void stop_workers(broker *b)
{
    uint64_t kill_ns = tool_clock_ns() + b->args->drain_seconds * NS_PER_S + STOP_NS;
    b->drains = true;
    for (size_t i = 0; i < b->count; i++)
        node_worker_stop(&b->workers[i], kill_ns);
    while (b->count > 0) {
        wait_for_events(b, WAIT_MS);
        look_at_workers(b);
    }
}

/* --- start and end ------------------------------------------------------------------------ */

static bool begin(broker *b)
{
    const char *address = node_activation_address(b->args);
    const unsigned port = tc_listener_port(b->listener);
    node_say(NODE_INFO, "listening at %s, port %u", address, port);
    if (!node_metrics_begin(&b->metrics, b->args, NULL) || !node_write_port(b->args, port))
        return false;
    node_notify_ready("listening at %s, port %u", address, port);
    if (b->args->successor_of > 0)
        node_successor_report_ready();
    return true;
}

static void tell_stopping(const broker *b)
{
    node_say(NODE_INFO, "drains, with %zu peers", b->serving);
    node_successor_give_up();
    if (!node_successor_follows())
        node_notify_stopping(b->args->drain_seconds);
}

static int run(broker *b)
{
    tc_error error;
    size_t most = b->args->processes + SPARES;
    b->workers = calloc(most, sizeof *b->workers);
    b->fds = calloc(1 + most * NODE_WORKER_FDS, sizeof *b->fds);
    if (b->workers == NULL || b->fds == NULL)
        return node_end_complain("out of memory");
    if (node_activation_open(b->ctx, b->args, &b->listener, &error) != TC_OK)
        return node_end_complain(error.text);
    tc_listener_hand_over(b->listener, on_connection, b);
    start_spares(b);
    int result = b->args->successor_of > 0 ? await_first_worker(b) : 0;
    if (result == 0)
        result = begin(b) ? serve(b) : 1;
    tc_listener_close(b->listener);
    if (node_end_is_wanted())
        tell_stopping(b);
    stop_workers(b);
    if (result == 0)
        node_metrics_end(&b->metrics, &b->sum);
    node_metrics_close(&b->metrics);
    return result == 0 && b->cut_off ? 1 : result;
}

int node_broker_run(const node_arguments *args, char **argv)
{
    broker b = {.args = args, .argv = argv};
    tc_error error;
    /* Functions run as the same user and must not inspect this process. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    if (tc_context_create(NULL, &b.ctx, &error) != TC_OK)
        return node_end_complain(error.text);
    int result = run(&b);
    tc_context_destroy(b.ctx);
    free(b.workers);
    free(b.fds);
    return result;
}
