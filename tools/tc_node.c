/* A target: listens, and runs what its peers send until it is told to stop. */
#include "crash_line.h"
#include "tool_file.h"
#include "tool_key.h"
#include "tool_number.h"

#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/log.h>
#include <tc/version.h>

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_NS 100000000ull /* between looks at the stop flag */

typedef struct arguments {
    const char *listen;
    const char *library;     /* NULL: none */
    const char *args_symbol; /* NULL: target_args is NULL */
    const char *port_file;   /* NULL: none */
    const char *make_key;    /* NULL: none; else that is all there is to do */
    uint64_t exit_after;     /* messages; 0: no end */
    int json;
} arguments;

static const char usage[] =
    "usage: tc-node [--listen HOST:PORT] [--lib LIBRARY --args-symbol NAME] [options]\n"
    "\n"
    "Runs functions that peers send, until SIGINT or SIGTERM; then prints a summary. A\n"
    "second signal ends it at once. With TC_AUDIT=FILE, SIGHUP has it open that file anew.\n"
    "\n"
    "  -l, --listen HOST:PORT   default 127.0.0.1:7000; port 0: the system chooses. Outside\n"
    "                           loopback only with TC_KEY_FILE=FILE or TC_TLS_CERT: whoever\n"
    "                           connects can run code here\n"
    "      --make-key FILE      make a new key for TC_KEY_FILE, and end\n"
    "      --lib LIBRARY        a shared library to load first; its symbols can be called by\n"
    "                           what arrives\n"
    "      --args-symbol NAME   the address of this symbol (of --lib, or of this program's\n"
    "                           libraries) is the functions' target_args\n"
    "      --port-file FILE     write the port number there once peers can connect\n"
    "      --exit-after N       end after N messages were run\n"
    "  -j, --json               the summary as one JSON object\n"
    "  -h, --help               this text\n"
    "\n"
    "Options of the library: environment variables TC_*, see tc-info --options.\n"
    "SIGHUP reads the keys of TC_TRUST and the lists of code again.\n"
    "Exit status: 0 after an orderly end, 1 when it could not start, 2 for wrong arguments.\n";

/* Any thread may get a signal, UCX's too, and two of them one each at the same time. */
static atomic_bool stop_wanted;

static atomic_bool reload_wanted;

static void on_hangup(int number)
{
    (void)number;
    atomic_store(&reload_wanted, true);
}

/* A function that never returns never lets the flag be seen: the second signal ends it. */
static void on_signal(int number)
{
    if (atomic_exchange(&stop_wanted, true)) {
        (void)signal(number, SIG_DFL);
        (void)raise(number); /* when this returns */
    }
}

static int parse(int argc, char **argv, arguments *args)
{
    enum { LIB = 256, ARGS_SYMBOL, PORT_FILE, EXIT_AFTER, MAKE_KEY };
    static const struct option options[] = {
        {"listen", required_argument, NULL, 'l'},
        {"lib", required_argument, NULL, LIB},
        {"args-symbol", required_argument, NULL, ARGS_SYMBOL},
        {"port-file", required_argument, NULL, PORT_FILE},
        {"make-key", required_argument, NULL, MAKE_KEY},
        {"exit-after", required_argument, NULL, EXIT_AFTER},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    *args = (arguments){.listen = "127.0.0.1:7000"};
    for (int c; (c = getopt_long(argc, argv, "l:jh", options, NULL)) != -1;) {
        switch (c) {
        case 'l':
            args->listen = optarg;
            break;
        case LIB:
            args->library = optarg;
            break;
        case ARGS_SYMBOL:
            args->args_symbol = optarg;
            break;
        case PORT_FILE:
            args->port_file = optarg;
            break;
        case MAKE_KEY:
            args->make_key = optarg;
            break;
        case EXIT_AFTER:
            if (!tool_number("tc-node", "--exit-after", optarg, 0, UINT64_MAX,
                             &args->exit_after))
                return 2;
            break;
        case 'j':
            args->json = 1;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (optind != argc) {
        fprintf(stderr, "tc-node: unexpected argument '%s'\n", argv[optind]);
        return 2;
    }
    return 0;
}

/* RTLD_GLOBAL: what arrives may call the library. */
static int find_target_args(const arguments *args, void **target_args_out)
{
    void *library = NULL;
    *target_args_out = NULL;
    if (args->library != NULL &&
        (library = dlopen(args->library, RTLD_NOW | RTLD_GLOBAL)) == NULL) {
        fprintf(stderr, "tc-node: --lib: %s\n", dlerror());
        return 0;
    }
    if (args->args_symbol == NULL)
        return 1;
    *target_args_out = dlsym(library != NULL ? library : RTLD_DEFAULT, args->args_symbol);
    if (*target_args_out == NULL)
        fprintf(stderr, "tc-node: --args-symbol %s: no such symbol\n", args->args_symbol);
    return *target_args_out != NULL;
}

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    tc_error error;
    tc_ep_info info;
    (void)user;
    tc_ep_query(ep, &info);
    if (event == TC_EP_OPENED) {
        fprintf(stderr, "tc-node: peer connected: %s, %s, library %s, LLVM %s\n",
                info.peer_identity[0] != '\0' ? info.peer_identity : "not authenticated",
                info.peer_triple, info.peer_library, info.peer_llvm);
    } else if (event == TC_EP_CLOSED) {
        fprintf(stderr, "tc-node: peer closed after %" PRIu64 " messages\n", info.run_messages);
    } else {
        tc_status status = tc_ep_error(ep, &error);
        fprintf(stderr, "tc-node: peer lost after %" PRIu64 " messages: %s\n",
                info.run_messages, status == TC_OK ? "" : error.text);
    }
}

static uint64_t stat_named(const tc_context *ctx, const char *name)
{
    for (size_t i = 0; i < tc_stats_count(); i++) {
        if (strcmp(tc_stats_name(i), name) == 0)
            return tc_stats_value(ctx, i);
    }
    return 0;
}

static void print_summary(const tc_context *ctx, int json)
{
    if (!json) {
        printf("tc-node: %" PRIu64 " messages run, %" PRIu64 " dropped, %" PRIu64
               " functions received, %" PRIu64 " refused, %" PRIu64 " peers, %" PRIu64
               " failed\n",
               stat_named(ctx, "messages_run"), stat_named(ctx, "messages_dropped"),
               stat_named(ctx, "code_received"), stat_named(ctx, "code_refused"),
               stat_named(ctx, "endpoints_opened"), stat_named(ctx, "endpoints_failed"));
        return;
    }
    for (size_t i = 0; i < tc_stats_count(); i++)
        printf("%s\"%s\": %" PRIu64, i == 0 ? "{" : ", ", tc_stats_name(i),
               tc_stats_value(ctx, i));
    puts("}");
}

/* Within WAIT_NS of a SIGHUP. */
static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && *value != '\0';
}

static bool has_keys_or_lists(void)
{
    return is_set("TC_TRUST") || is_set("TC_CODE_ALLOW") || is_set("TC_CODE_REVOKED");
}

/* Whoever changed a file of keys, or renamed the audit file, says so by SIGHUP. */
static void reload(tc_context *ctx)
{
    tc_error error;
    if (!atomic_exchange(&reload_wanted, false))
        return;
    if (tc_context_reopen_audit(ctx, &error) != TC_OK)
        fprintf(stderr, "tc-node: %s\n", error.text);
    if (!has_keys_or_lists())
        return;
    if (tc_context_reload_trust(ctx, &error) == TC_OK)
        fprintf(stderr, "tc-node: keys and lists read again\n");
    else
        fprintf(stderr, "tc-node: no key is trusted any more: %s\n", error.text);
}

static int serve(tc_context *ctx, const arguments *args)
{
    tc_listener *listener;
    tc_error error;
    if (tc_listener_open(ctx, args->listen, &listener, &error) != TC_OK) {
        fprintf(stderr, "tc-node: %s\n", error.text);
        return 1;
    }
    fprintf(stderr, "tc-node: listening at %s, port %u\n", args->listen,
            tc_listener_port(listener));
    if (args->port_file != NULL &&
        !tool_file_write_number(args->port_file, tc_listener_port(listener))) {
        fprintf(stderr, "tc-node: --port-file %s: %s\n", args->port_file, strerror(errno));
        return 1;
    }
    while (!atomic_load_explicit(&stop_wanted, memory_order_relaxed)) {
        reload(ctx);
        tc_status status = tc_wait(ctx, WAIT_NS);
        if (status != TC_OK && status != TC_E_TIMEOUT) {
            fprintf(stderr, "tc-node: %s\n", tc_status_text(status));
            return 1;
        }
        if (args->exit_after > 0 && stat_named(ctx, "messages_run") >= args->exit_after)
            break;
    }
    print_summary(ctx, args->json);
    return 0;
}

int main(int argc, char **argv)
{
    arguments args;
    tc_context *ctx;
    tc_error error;
    void *target_args;
    int wrong = parse(argc, argv, &args);
    if (wrong)
        return wrong;
    if (args.make_key != NULL)
        return tool_key_make("tc-node", args.make_key) ? 0 : 1;
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const struct sigaction hangup = {.sa_handler = on_hangup};
    if (has_keys_or_lists() || is_set("TC_AUDIT")) /* else it ends with its terminal */
        sigaction(SIGHUP, &hangup, NULL);
    if (!find_target_args(&args, &target_args))
        return 1;
    if (tc_context_create(NULL, &ctx, &error) != TC_OK) {
        fprintf(stderr, "tc-node: %s\n", error.text);
        return 1;
    }
    crash_line_install("tc-node"); /* after UCX's own handlers, which come second then */
    tc_context_set_target_args(ctx, target_args);
    tc_context_set_ep_callback(ctx, on_endpoint, NULL);
    int result = serve(ctx, &args);
    tc_context_destroy(ctx);
    return result;
}
