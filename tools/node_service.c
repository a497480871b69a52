/* Opens the context and the listener, applies limits and --confine, then runs messages until
 * the end. A worker (--isolate) gets its only connection from the node, and reports to it. */
#include "node_service.h"

#include "node_activation.h"
#include "node_counters.h"
#include "node_drain.h"
#include "node_end.h"
#include "node_job.h"
#include "node_metrics.h"
#include "node_notify.h"
#include "node_packages.h"
#include "node_report.h"
#include "node_say.h"
#include "node_settings.h"
#include "node_successor.h"
#include "node_wall.h"
#include "tool_file.h"

#include <tc/advanced.h>
#include <tc/code.h>
#include <tc/crash.h>
#include <tc/endpoint.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define WAIT_NS 100000000ull /* between checks of the stop flag */
#define COUNT_EVERY 64       /* turns, between checks of the counters */
#define CALL_TIME_MAX "10s"
#define NS_PER_MS 1000000ull

/* State of the process, for callbacks. */
static struct {
    bool is_worker;
    bool peer_has_gone;
    node_counters *counters; /* of a worker: memory that its node reads */
    node_job job;            /* with --join */
    int listening;           /* a socket that a successor may inherit; -1: none */
} this_node = {.listening = -1};

static atomic_bool reload_wanted;

static void on_hangup(int number)
{
    (void)number;
    atomic_store(&reload_wanted, true);
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && *value != '\0';
}

static bool has_keys_or_lists(void)
{
    return is_set("TC_TRUST") || is_set("TC_CODE_ALLOW") || is_set("TC_CODE_REVOKED");
}

void node_catch_signals(const node_arguments *args)
{
    const struct sigaction hangup = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};
    sigset_t mask;
    node_metrics_catch_signal();
    node_successor_catch_signal();
    node_end_catch_signals(args->confine, args->drain_seconds);
    if (has_keys_or_lists() || is_set("TC_AUDIT") || args->config != NULL)
        sigaction(SIGHUP, &hangup, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGHUP); /* blocked in a worker until here: node_worker.c */
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGUSR2);
    (void)pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

bool node_reload_is_wanted(void)
{
    return atomic_exchange(&reload_wanted, false);
}

bool node_write_port(const node_arguments *args, unsigned port)
{
    if (args->port_file == NULL || tool_file_write_number(args->port_file, port))
        return true;
    node_say(NODE_ERROR, "--port-file %s: %s", args->port_file, strerror(errno));
    return false;
}

/* --- resources for functions -------------------------------------------------------------- */

/* Loads --lib and finds --args-symbol. RTLD_GLOBAL: received functions may call the library. */
static int find_target_args(const node_arguments *args, void **target_args_out)
{
    void *library = NULL;
    *target_args_out = NULL;
    if (args->library != NULL &&
        (library = dlopen(args->library, RTLD_NOW | RTLD_GLOBAL)) == NULL) {
        node_say(NODE_ERROR, "--lib: %s", dlerror());
        return 0;
    }
    if (args->args_symbol == NULL)
        return 1;
    *target_args_out = dlsym(library != NULL ? library : RTLD_DEFAULT, args->args_symbol);
    if (*target_args_out == NULL)
        node_say(NODE_ERROR, "--args-symbol %s: no such symbol", args->args_symbol);
    return *target_args_out != NULL;
}

/* Limits the memory to `more` bytes above the amount that the process has mapped already. */
static int limit_memory(uint64_t more)
{
    struct rlimit limit;
    uint64_t pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    int found = statm != NULL && fscanf(statm, "%" SCNu64, &pages) == 1;
    if (statm != NULL)
        (void)fclose(statm);
    if (!found || getrlimit(RLIMIT_AS, &limit) != 0)
        return node_end_complain("--memory-max: it is not known how much memory is in use");
    rlim_t wanted = pages * (uint64_t)sysconf(_SC_PAGESIZE) + more;
    if (wanted < limit.rlim_cur)
        limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_AS, &limit) == 0 ? 0
                                             : node_end_complain("--memory-max: not allowed");
}

/* --- events ------------------------------------------------------------------------------- */

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    tc_error error;
    tc_ep_info info;
    (void)user;
    tc_ep_query(ep, &info);
    if (event == TC_EP_OPENED) {
        node_say(NODE_INFO, "peer connected: %s, %s, library %s, LLVM %s",
                 info.peer_identity[0] != '\0' ? info.peer_identity : "not authenticated",
                 info.peer_triple, info.peer_library, info.peer_llvm);
        return;
    }
    this_node.peer_has_gone = true;
    if (event == TC_EP_CLOSED) {
        node_say(NODE_INFO, "peer closed after %" PRIu64 " messages", info.run_messages);
    } else {
        tc_status status = tc_ep_error(ep, &error);
        node_say(NODE_WARNING, "peer lost after %" PRIu64 " messages: %s", info.run_messages,
                 status == TC_OK ? "" : error.text);
    }
}

/* Runs in a thread of the library; the function still runs in the first thread. */
static void on_long_call(void *user, const tc_long_call *call)
{
    char text[NODE_REPORT_TEXT_MAX];
    (void)user;
    (void)snprintf(text, sizeof text,
                   "function '%s' %s ran longer than call_time_max, %" PRIu64 " ms",
                   call->function, call->id, (uint64_t)(call->time_max_ns / NS_PER_MS));
    node_report_say(NODE_LONG_CALL, text);
}

/* --- serving ------------------------------------------------------------------------------ */

static tc_status open_listener(tc_context *ctx, const node_arguments *args,
                               tc_listener **listener_out, tc_error *err)
{
    if (this_node.is_worker)
        return tc_listener_open_handed(ctx, NODE_REPORT_CHANNEL, listener_out, err);
    const tc_status status = node_activation_open(ctx, args, listener_out, err);
    /* A confined process starts no other. */
    if (status == TC_OK && !args->confine)
        this_node.listening = tc_listener_fd(*listener_out);
    return status;
}

/* Returns whether serving is over. A worker has one peer, which may leave before its endpoint
 * is open. */
static int is_over(const node_arguments *args, const node_counters *counters)
{
    if (this_node.is_worker)
        return this_node.peer_has_gone ||
               node_counters_named(counters, "endpoints_failed") > 0 ||
               node_counters_named(counters, "strangers_refused") > 0;
    if (node_job_is_over(&this_node.job))
        return true;
    if (args->exit_after == 0 ||
        node_counters_named(counters, "messages_run") < args->exit_after)
        return false;
    (void)raise(SIGTERM); /* functions of these messages may wait, so it drains */
    return true;
}

/* Handles SIGHUP, which is sent after a file of keys or settings was changed, or the audit file
 * renamed. */
static void reload(tc_context *ctx, const node_arguments *args)
{
    tc_error error;
    if (args->config != NULL)
        node_settings_read_again(args->config);
    if (tc_context_reopen_audit(ctx, &error) != TC_OK)
        node_say(NODE_ERROR, "%s", error.text);
    if (!has_keys_or_lists())
        return;
    if (tc_context_reload_trust(ctx, &error) == TC_OK)
        node_say(NODE_INFO, "keys and lists read again");
    else
        node_say(NODE_ERROR, "no key is trusted any more: %s", error.text);
}

/* `metrics` is NULL in a worker, whose counters are summed up by the node that started it. */
static int wait_for_messages(tc_context *ctx, const node_arguments *args, node_metrics *metrics)
{
    node_counters own;
    node_counters *counters = this_node.counters != NULL ? this_node.counters : &own;
    unsigned turns = 0;
    int over = 0;
    while (!node_end_is_wanted() && !over) {
        if (node_reload_is_wanted()) {
            node_notify_reloading();
            reload(ctx, args);
            node_notify_ready("settings, keys and lists are read again");
        }
        if (metrics != NULL) {
            node_successor_turn(this_node.listening, node_metrics_socket(metrics));
            node_metrics_turn(metrics);
        }
        tc_status status = args->join ? node_job_wait(&this_node.job) : tc_wait(ctx, WAIT_NS);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            return node_end_complain(tc_status_text(status));
        if (args->exit_after == 0 && status == TC_OK && !this_node.peer_has_gone &&
            ++turns % COUNT_EVERY != 0)
            continue;
        node_counters_take(ctx, counters);
        if (metrics != NULL && node_metrics_due(metrics))
            node_metrics_tell(metrics, counters);
        over = is_over(args, counters);
    }
    return 0;
}

/* Starts the compiler first, as it cannot be started any more later. */
static int confine(tc_context *ctx)
{
    tc_error error;
    tc_status status = tc_context_start_compiler(ctx, &error);
    if (status != TC_OK)
        node_say(NODE_ERROR, "--confine: bitcode cannot be compiled: %s", error.text);
    return node_wall_raise();
}

/* `listener` is NULL with --join: that has printed the rank. */
static void tell_ready(const node_arguments *args, const tc_listener *listener)
{
    if (this_node.is_worker) {
        node_report_say(NODE_READY, "");
    } else if (listener == NULL) {
        node_notify_ready("serves the group of its job");
    } else {
        node_say(NODE_INFO, "listening at %s, port %u", node_activation_address(args),
                 tc_listener_port(listener));
        node_notify_ready("listening at %s, port %u", node_activation_address(args),
                          tc_listener_port(listener));
    }
    if (args->successor_of > 0)
        node_successor_report_ready();
}

static void tell_stopping(const node_arguments *args)
{
    if (this_node.is_worker)
        return;
    node_say(NODE_INFO, "drains");
    if (!node_successor_follows())
        node_notify_stopping(args->drain_seconds);
}

static int serve_with(tc_context *ctx, const node_arguments *args, node_metrics *metrics)
{
    node_counters counters;
    tc_listener *listener = NULL;
    tc_error error;
    if (args->join && !node_job_join(ctx, &this_node.job))
        return 1;
    if (!args->join && open_listener(ctx, args, &listener, &error) != TC_OK)
        return node_end_complain(error.text);
    if (!this_node.is_worker && !node_metrics_begin(metrics, args, ctx))
        return 1;
    if (listener != NULL && !this_node.is_worker &&
        !node_write_port(args, tc_listener_port(listener)))
        return 1;
    if (args->memory_max > 0 && limit_memory(args->memory_max) != 0)
        return 1;
    if (args->confine && confine(ctx) != 0)
        return 1;
    tell_ready(args, listener);
    int result = wait_for_messages(ctx, args, this_node.is_worker ? NULL : metrics);
    node_successor_give_up();
    if (result != 0)
        return result;
    if (node_end_is_wanted()) {
        tell_stopping(args);
        result = node_drain(ctx);
    }
    node_counters_take(ctx, this_node.counters != NULL ? this_node.counters : &counters);
    if (!this_node.is_worker)
        node_metrics_end(metrics, &counters);
    return result;
}

static int serve_listener(tc_context *ctx, const node_arguments *args)
{
    node_metrics metrics = {0};
    int result = serve_with(ctx, args, &metrics);
    node_metrics_close(&metrics);
    return result;
}

/* Makes this process a worker, which dies with the node. Returns false if the node has died
 * already, or the counters cannot be mapped. */
static int become_worker(const node_arguments *args)
{
    this_node.is_worker = true;
    this_node.counters = node_report_map();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return (uint64_t)getppid() == args->worker_of && this_node.counters != NULL;
}

/* Counts calls, unless the user has chosen, or the library was built without that. */
static void set_usage(tc_options *options)
{
    tc_error ignored;
    if (getenv("TC_USAGE") == NULL)
        (void)!tc_options_set(options, "usage", "counts", &ignored);
}

/* Sets call_time_max, so that functions that keep peers waiting are named, unless the user has
 * set it. In a process that serves one peer only, functions may take their time. */
static tc_status create_context(tc_context **ctx_out, tc_error *err)
{
    tc_options *options;
    tc_status status = tc_options_create(&options, err);
    if (status != TC_OK)
        return status;
    set_usage(options);
    const bool is_default = !this_node.is_worker && getenv("TC_CALL_TIME_MAX") == NULL;
    if (is_default)
        status = tc_options_set(options, "call_time_max", CALL_TIME_MAX, err);
    if (status == TC_OK)
        status = tc_context_create(options, ctx_out, err);
    if (status == TC_E_UNSUPPORTED &&
        is_default) { /* by a library without the module `limits` */
        status = tc_options_set(options, "call_time_max", "0", err);
        if (status == TC_OK)
            status = tc_context_create(options, ctx_out, err);
    }
    tc_options_destroy(options);
    return status;
}

int node_serve(const node_arguments *args)
{
    tc_context *ctx;
    tc_error error;
    void *target_args;
    node_packages packages = {.count = 0};
    if (args->worker_of > 0 && !become_worker(args))
        return node_end_complain("--worker is for tc-node's own use");
    if (args->confine && node_wall_prepare(args) != 0)
        return 1;
    if (!find_target_args(args, &target_args))
        return 1;
    if (create_context(&ctx, &error) != TC_OK)
        return node_end_complain(error.text);
    node_end_force();
    /* Installed after UCX's own handlers, which then run second. */
    tc_crash_line_install(node_say_name(NODE_ERROR),
                          this_node.is_worker ? node_report_crash : NULL, NULL);
    tc_context_set_target_args(ctx, target_args);
    tc_context_set_ep_callback(ctx, on_endpoint, NULL);
    if (this_node.is_worker) {
        tc_context_set_long_call_callback(ctx, on_long_call, NULL);
    }
    int result = node_packages_open(ctx, args, &packages) ? serve_listener(ctx, args) : 1;
    if (this_node.is_worker && result == 0)
        node_report_say(NODE_DONE, "");
    node_packages_close(&packages);
    tc_context_destroy(ctx);
    return result;
}
