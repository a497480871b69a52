/* The option table of tc-node, and checks of options that depend on each other. */
#include "node_arguments.h"

#include "node_say.h"
#include "node_settings.h"
#include "tool_options.h"
#include "tool_status.h"

#include <stdio.h>

#define PROCESSES_DEFAULT 64
#define PROCESSES_MAX 4096
#define DRAIN_DEFAULT 5
#define DRAIN_MAX 86400

#define AT(member) offsetof(node_arguments, member)

static const char listen_default[] = "127.0.0.1:7000";

static bool allow(node_arguments *args, const char *path, int writable)
{
    if (args->allowed_count == NODE_ALLOWED_MAX) {
        node_say(NODE_ERROR, "more than %d paths are allowed", NODE_ALLOWED_MAX);
        return false;
    }
    args->allowed_writable[args->allowed_count] = writable;
    args->allowed[args->allowed_count++] = path;
    return true;
}

static bool allow_read(void *into, const tool_option *row, const char *path)
{
    (void)row;
    return allow(into, path, 0);
}

static bool allow_write(void *into, const tool_option *row, const char *path)
{
    (void)row;
    return allow(into, path, 1);
}

static bool add_package(void *into, const tool_option *row, const char *path)
{
    node_arguments *args = into;
    (void)row;
    if (args->package_count == NODE_PACKAGES_MAX) {
        node_say(NODE_ERROR, "more than %d packages", NODE_PACKAGES_MAX);
        return false;
    }
    args->packages[args->package_count++] = path;
    return true;
}

static const tool_option options[] = {
    {.name = "listen",
     .letter = 'l',
     .kind = TOOL_TEXT,
     .value = "HOST:PORT",
     .offset = AT(listen),
     .help = "default 127.0.0.1:7000, port 0: any; outside loopback peers need keys"},
    {.name = "join",
     .offset = AT(join),
     .help = "serve the members of the job's group, under tc-run or mpirun"},
    {.name = "config",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(config),
     .help = "settings, lines \"key = value\"; --check-config: only check it"},
    {.name = "check-config", .offset = AT(check_config)},
    {.name = "make-key",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(make_key),
     .help = "make a new key for TC_KEY_FILE, and end"},
    {.name = "lib",
     .kind = TOOL_TEXT,
     .value = "LIBRARY",
     .offset = AT(library),
     .help = "load it first, for functions; --args-symbol NAME: their target_args"},
    {.name = "args-symbol", .kind = TOOL_TEXT, .value = "NAME", .offset = AT(args_symbol)},
    {.name = "package",
     .kind = TOOL_OTHER,
     .value = "FILE",
     .take = add_package,
     .help = "have NAME.tcp or oci:DIR[:TAG], or run libNAME-local.so; repeatable"},
    {.name = "port-file",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(port_file),
     .help = "write the port number there once peers can connect"},
    {.name = "stats-file",
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(stats_file),
     .help = "write the counters there each second, as Prometheus reads them"},
    {.name = "http",
     .kind = TOOL_TEXT,
     .value = "HOST:PORT",
     .offset = AT(http),
     .help = "serve /metrics and /healthz there; PORT alone: on loopback"},
    {.name = "isolate",
     .offset = AT(isolate),
     .help = "a process of its own for each peer, 64 at once (--processes N)"},
    {.name = "processes",
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(processes),
     .min = 1,
     .max = PROCESSES_MAX},
    {.name = "memory-max",
     .kind = TOOL_NUMBER,
     .value = "BYTES",
     .offset = AT(memory_max),
     .min = 1,
     .max = INT64_MAX,
     .help = "how much more memory functions may take, of each process"},
    {.name = "confine",
     .offset = AT(confine),
     .help = "functions start no programs, open no sockets, and no files but"},
    {.name = "allow-read",
     .kind = TOOL_OTHER,
     .value = "PATH",
     .take = allow_read,
     .help = "such, and all below; --allow-write PATH: for writing too; repeatable"},
    {.name = "allow-write", .kind = TOOL_OTHER, .value = "PATH", .take = allow_write},
    {.name = "drain-seconds",
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(drain_seconds),
     .min = 1,
     .max = DRAIN_MAX,
     .help = "after SIGTERM: time for functions to end and answers to leave (default 5)"},
    {.name = "exit-after",
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(exit_after),
     .max = UINT64_MAX,
     .help = "end after N messages were run"},
    {.name = "json",
     .letter = 'j',
     .offset = AT(json),
     .help = "the summary as one JSON object"},
    {.name = "successor", /* passed by tc-node to the process that follows it */
     .kind = TOOL_NUMBER,
     .value = "PROCESS",
     .offset = AT(successor_of),
     .min = 1,
     .max = INT32_MAX},
    {.name = "worker", /* passed by tc-node to its own workers */
     .kind = TOOL_NUMBER,
     .value = "PROCESS",
     .offset = AT(worker_of),
     .min = 1,
     .max = INT32_MAX},
};

static const tool_command tc_node = {
    .name = "tc-node",
    .usage = "[--listen HOST:PORT | --join] [--lib LIBRARY --args-symbol NAME] [options]",
    .about =
        "Runs functions of peers. SIGTERM: drain, twice: end. SIGUSR1: counters, 2: upgrade. "
        "SIGHUP: keys.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .notes =
        "Environment: TC_*, tc-info --options. Exit status: 0; 1: no start, or a function cut "
        "off; 2: usage.\n",
};

/* Checks options that depend on each other. */
static int check(const node_arguments *args)
{
    if (args->join && (args->listen != listen_default || args->port_file != NULL ||
                       args->isolate || args->confine))
        return tool_options_misused(&tc_node,
                                    "--join: the group says where it listens, and reaches one "
                                    "process that connects to others: expected it without "
                                    "--listen, --port-file, --isolate and --confine");
    if (args->allowed_count > 0 && !args->confine)
        return tool_options_misused(&tc_node,
                                    "--allow-read and --allow-write are for --confine");
    if (args->stats_file != NULL && args->confine && !args->isolate)
        return tool_options_misused(&tc_node, "--stats-file with --confine needs --isolate: a "
                                              "confined process writes no files");
    if (args->check_config && args->config == NULL)
        return tool_options_misused(&tc_node, "--check-config is for --config");
    return TOOL_GO_ON;
}

static int parse(int argc, char **argv, node_arguments *args_out)
{
    *args_out = (node_arguments){.listen = listen_default,
                                 .socket = -1,
                                 .http_socket = -1,
                                 .processes = PROCESSES_DEFAULT,
                                 .drain_seconds = DRAIN_DEFAULT};
    const int result = tool_options_parse(&tc_node, argc, argv, args_out);
    if (args_out->worker_of != 0) /* its node is the successor, and passes on all arguments */
        args_out->successor_of = 0;
    return result;
}

int node_arguments_parse(int argc, char ***argv, node_arguments *args_out)
{
    int result = parse(argc, *argv, args_out);
    node_settings_begin(&tc_node, args_out->worker_of != 0);
    /* A worker has the file's settings among its arguments. */
    if (result == TOOL_GO_ON && args_out->config != NULL && args_out->worker_of == 0) {
        result = node_settings_read(args_out->config, &argc, argv);
        if (result == TOOL_GO_ON)
            result = parse(argc, *argv, args_out);
    }
    if (result == TOOL_GO_ON)
        result = check(args_out);
    if (result != TOOL_GO_ON || !args_out->check_config)
        return result;
    printf("tc-node: %s: nothing is wrong\n", args_out->config);
    return tool_options_finish(&tc_node, TOOL_OK);
}
