#include "node_arguments.h"

#include "tool_number.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#define PROCESSES_DEFAULT 64
#define PROCESSES_MAX 4096

static const char usage[] =
    "usage: tc-node [--listen HOST:PORT] [--lib LIBRARY --args-symbol NAME] [options]\n"
    "\n"
    "Runs functions that peers send, until SIGINT or SIGTERM; then prints a summary. A\n"
    "second signal ends it at once. SIGHUP: read keys and lists again, reopen the audit.\n"
    "\n"
    "  -l, --listen HOST:PORT   default 127.0.0.1:7000; port 0: the system chooses. Whoever\n"
    "                           connects can run code: keys are needed outside loopback\n"
    "      --make-key FILE      make a new key for TC_KEY_FILE, and end\n"
    "      --lib LIBRARY        load it first; what arrives may call it\n"
    "      --args-symbol NAME   the address of this symbol (of --lib, or of this program's\n"
    "                           libraries) is the functions' target_args\n"
    "      --port-file FILE     write the port number there once peers can connect\n"
    "      --isolate            each peer's functions run in a process of their own\n"
    "      --processes N        with --isolate: so many peers at once (default 64)\n"
    "      --memory-max BYTES   how much more memory functions may take, of each process\n"
    "      --confine            functions start no programs, open no sockets, and no files "
    "but\n"
    "      --allow-read PATH    such, and what is below; may be given several times\n"
    "      --allow-write PATH   the same, for writing too\n"
    "      --exit-after N       end after N messages were run\n"
    "  -j, --json               the summary as one JSON object\n"
    "  -h, --help               this text\n"
    "\n"
    "Options of the library: environment variables TC_*, see tc-info --options.\n"
    "Exit status: 0 after an orderly end, 1 when it could not start, 2 for wrong arguments.\n";

enum {
    LIB = 256,
    ARGS_SYMBOL,
    PORT_FILE,
    MAKE_KEY,
    EXIT_AFTER,
    ISOLATE,
    PROCESSES,
    MEMORY_MAX,
    CONFINE,
    ALLOW_READ,
    ALLOW_WRITE,
    WORKER
};

static const struct option options[] = {
    {"listen", required_argument, NULL, 'l'},
    {"lib", required_argument, NULL, LIB},
    {"args-symbol", required_argument, NULL, ARGS_SYMBOL},
    {"port-file", required_argument, NULL, PORT_FILE},
    {"make-key", required_argument, NULL, MAKE_KEY},
    {"exit-after", required_argument, NULL, EXIT_AFTER},
    {"isolate", no_argument, NULL, ISOLATE},
    {"processes", required_argument, NULL, PROCESSES},
    {"memory-max", required_argument, NULL, MEMORY_MAX},
    {"confine", no_argument, NULL, CONFINE},
    {"allow-read", required_argument, NULL, ALLOW_READ},
    {"allow-write", required_argument, NULL, ALLOW_WRITE},
    {"worker", required_argument, NULL, WORKER}, /* what tc-node starts itself with */
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* Returns whether it was right. */
static int take_number(int c, node_arguments *args)
{
    switch (c) {
    case EXIT_AFTER:
        return tool_number("tc-node", "--exit-after", optarg, 0, UINT64_MAX, &args->exit_after);
    case PROCESSES:
        return tool_number("tc-node", "--processes", optarg, 1, PROCESSES_MAX,
                           &args->processes);
    case MEMORY_MAX:
        return tool_number("tc-node", "--memory-max", optarg, 1, INT64_MAX, &args->memory_max);
    default:
        return tool_number("tc-node", "--worker", optarg, 1, INT32_MAX, &args->worker_of);
    }
}

static int allow(node_arguments *args, int writable)
{
    if (args->allowed_count == NODE_ALLOWED_MAX) {
        fprintf(stderr, "tc-node: more than %d paths are allowed\n", NODE_ALLOWED_MAX);
        return 0;
    }
    args->allowed_writable[args->allowed_count] = writable;
    args->allowed[args->allowed_count++] = optarg;
    return 1;
}

static int take_option(int c, node_arguments *args)
{
    switch (c) {
    case 'l':
        args->listen = optarg;
        return 1;
    case LIB:
        args->library = optarg;
        return 1;
    case ARGS_SYMBOL:
        args->args_symbol = optarg;
        return 1;
    case PORT_FILE:
        args->port_file = optarg;
        return 1;
    case MAKE_KEY:
        args->make_key = optarg;
        return 1;
    case ISOLATE:
        args->isolate = 1;
        return 1;
    case CONFINE:
        args->confine = 1;
        return 1;
    case ALLOW_READ:
    case ALLOW_WRITE:
        return allow(args, c == ALLOW_WRITE);
    case 'j':
        args->json = 1;
        return 1;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    case '?':
        fputs(usage, stderr);
        return 0;
    default:
        return take_number(c, args);
    }
}

int node_arguments_parse(int argc, char **argv, node_arguments *args_out)
{
    *args_out = (node_arguments){.listen = "127.0.0.1:7000", .processes = PROCESSES_DEFAULT};
    for (int c; (c = getopt_long(argc, argv, "l:jh", options, NULL)) != -1;) {
        if (!take_option(c, args_out))
            return 2;
    }
    if (args_out->allowed_count > 0 && !args_out->confine) {
        fputs("tc-node: --allow-read and --allow-write are for --confine\n", stderr);
        return 2;
    }
    if (optind != argc) {
        fprintf(stderr, "tc-node: unexpected argument '%s'\n", argv[optind]);
        return 2;
    }
    return 0;
}
