#include "perf_options.h"

#include "perf_values.h"

#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tc/options.h>
#include <tc/version.h>

#define PAYLOAD_MAX (1u << 20)
#define BANDWIDTH_PAYLOAD_MAX (256u << 20)
#define INTEGRITY_PAYLOAD_MAX (64u << 10)
#define TSI_ITERATIONS_MAX 10000000ull
#define INTEGRITY_ITERATIONS_MAX 1000000000000ull
#define SECONDS_MAX 86400u
#define BURN_NS_MAX 1000000000ull
#define SLACK_MAX (1ull << 40)
#define ROUNDS_MAX 1000u
#define SENDERS_MAX 16u
#define ENDPOINTS_MAX 4096u
#define WAKEUPS_MAX 10000u
#define FUNCTIONS_MAX 2000u
#define ROUNDS_ONE 20u
#define ROUNDS_SWEEP 4u

#define IN_TSI (1u << PERF_TSI)
#define IN_LANES (IN_TSI | 1u << PERF_SSUM | 1u << PERF_IPUT)
#define IN_INTEGRITY (1u << PERF_INTEGRITY)
#define IN_WAIT (1u << PERF_WAIT)
#define IN_FIRST (1u << PERF_FIRST)
#define IN_POLL (1u << PERF_POLL)
#define IN_FLOOD (1u << PERF_FLOOD)
#define IN_BANDWIDTH (1u << PERF_BANDWIDTH)
#define IN_ALL                                                                                 \
    (IN_LANES | IN_INTEGRITY | IN_WAIT | IN_FIRST | IN_POLL | IN_FLOOD | IN_BANDWIDTH)

typedef struct option_row {
    const char *name;
    char letter;       /* or 0 */
    unsigned where;    /* which experiments know it */
    const char *value; /* how help calls its value; NULL for a flag */
    bool (*set)(perf_options *options, const char *text);
    const char *help;
} option_row;

static uint64_t payload_max(const perf_options *options)
{
    return options->experiment == PERF_BANDWIDTH ? BANDWIDTH_PAYLOAD_MAX : PAYLOAD_MAX;
}

/* What the function needs of a payload: one number; a key and a word of data. */
static uint64_t payload_min(const perf_options *options)
{
    return options->experiment == PERF_IPUT ? 16 : options->experiment == PERF_SSUM ? 4 : 1;
}

static bool set_payloads(perf_options *options, const char *text)
{
    return perf_value_list(text, payload_min(options), payload_max(options), options->payloads,
                           PERF_PAYLOADS_MAX, &options->payload_count);
}

static bool set_sweep(perf_options *options, const char *text)
{
    return perf_value_powers(text, payload_min(options), payload_max(options),
                             options->payloads, PERF_PAYLOADS_MAX, &options->payload_count);
}

static bool set_iterations(perf_options *options, const char *text)
{
    static const uint64_t limits[] = {
        [PERF_TSI] = TSI_ITERATIONS_MAX,       [PERF_SSUM] = TSI_ITERATIONS_MAX,
        [PERF_IPUT] = TSI_ITERATIONS_MAX,      [PERF_INTEGRITY] = INTEGRITY_ITERATIONS_MAX,
        [PERF_BANDWIDTH] = TSI_ITERATIONS_MAX, [PERF_WAIT] = WAKEUPS_MAX,
        [PERF_FIRST] = FUNCTIONS_MAX};
    return perf_value_count(text, 1, limits[options->experiment], &options->iterations);
}

static bool set_senders(perf_options *options, const char *text)
{
    return perf_value_powers(text, 1, SENDERS_MAX, options->senders, PERF_SENDERS_MAX,
                             &options->sender_count);
}

static bool set_endpoints(perf_options *options, const char *text)
{
    return perf_value_powers(text, 1, ENDPOINTS_MAX, options->senders, PERF_SENDERS_MAX,
                             &options->sender_count);
}

static bool set_processes(perf_options *options, const char *text)
{
    bool even = perf_value_powers(text, 2, SENDERS_MAX, options->processes, PERF_SENDERS_MAX,
                                  &options->process_count);
    for (unsigned i = 0; even && i < options->process_count; i++)
        even = options->processes[i] % 2 == 0;
    return even;
}

static bool set_peers(perf_options *options, const char *text)
{
    uint64_t value;
    if (!perf_value_count(text, 1, SENDERS_MAX, &value))
        return false;
    options->peers = (unsigned)value;
    return true;
}

static bool set_warmup(perf_options *options, const char *text)
{
    return perf_value_count(text, 1, TSI_ITERATIONS_MAX, &options->warmup);
}

static bool set_rounds(perf_options *options, const char *text)
{
    uint64_t value;
    if (!perf_value_count(text, 1, ROUNDS_MAX, &value))
        return false;
    options->rounds = (unsigned)value;
    return true;
}

static bool set_modes(perf_options *options, const char *text)
{
    options->modes = text;
    return *text != '\0';
}

/* The library's own list, "auto|direct|...", so that a delivery it gains is known here too. */
static const char *known_deliveries(void)
{
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (strcmp(tc_options_info(i)->name, "delivery") == 0)
            return tc_options_info(i)->range;
    }
    return "auto";
}

static bool add_delivery(perf_options *options, const char *name)
{
    char known[PERF_DELIVERY_NAME_MAX];
    for (const char *at = known_deliveries();
         at != NULL && perf_value_name(&at, '|', known, sizeof known);) {
        bool wanted =
            strcmp(name, "all") == 0 ? strcmp(known, "auto") != 0 : strcmp(name, known) == 0;
        if (!wanted)
            continue;
        if (options->delivery_count == PERF_DELIVERIES_MAX)
            return false;
        memcpy(options->deliveries[options->delivery_count++], known, sizeof known);
        if (strcmp(name, "all") != 0)
            return true;
    }
    return strcmp(name, "all") == 0;
}

static bool set_deliveries(perf_options *options, const char *text)
{
    char name[PERF_DELIVERY_NAME_MAX];
    options->delivery_count = 0;
    for (const char *at = text; at != NULL;) {
        if (!perf_value_name(&at, ',', name, sizeof name) || !add_delivery(options, name))
            return false;
    }
    return true;
}

static bool set_seconds(perf_options *options, const char *text)
{
    return perf_value_count(text, 1, SECONDS_MAX, &options->seconds);
}

static bool set_burn(perf_options *options, const char *text)
{
    return perf_value_count(text, 0, BURN_NS_MAX, &options->burn_ns);
}

static bool set_slack(perf_options *options, const char *text)
{
    return perf_value_count(text, 0, SLACK_MAX, &options->slack_bytes);
}

static bool set_sizes(perf_options *options, const char *text)
{
    uint64_t min, max;
    if (!perf_value_range(text, 1, INTEGRITY_PAYLOAD_MAX, &min, &max))
        return false;
    options->size_min = (size_t)min;
    options->size_max = (size_t)max;
    return true;
}

static bool set_json(perf_options *options, const char *text)
{
    options->json_path = text;
    return *text != '\0';
}

/* UCX needs its loopback transport for a worker's own address; a list without it fails late and
 * oddly. */
static bool set_tls(perf_options *options, const char *text)
{
    bool as_given = *text == '^' || strstr(text, "self") != NULL || strstr(text, "all") != NULL;
    int size = snprintf(options->text[0], PERF_PATH_MAX, "%s%s", text, as_given ? "" : ",self");
    options->tls = options->text[0];
    return *text != '\0' && size < PERF_PATH_MAX;
}

static bool set_ifunc_path(perf_options *options, const char *text)
{
    options->ifunc_path = text;
    return *text != '\0';
}

static bool set_pin(perf_options *options, const char *text)
{
    cpu_set_t allowed;
    char *end;
    if (strcmp(text, "none") == 0) {
        options->cpus[0] = options->cpus[1] = -1;
        return true;
    }
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        if (*text < '0' || *text > '9')
            return false;
        unsigned long cpu = strtoul(text, &end, 10);
        if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed) || *end != (i == 0 ? ',' : '\0'))
            return false;
        options->cpus[i] = (int)cpu;
        text = end + 1;
    }
    return true;
}

static bool set_verbose(perf_options *options, const char *text)
{
    (void)text;
    options->verbose = true;
    return true;
}

static bool set_unread(perf_options *options, const char *text)
{
    (void)text;
    options->unread = true;
    return true;
}

static const option_row option_rows[] = {
    {"size", 's', IN_LANES | IN_FLOOD | IN_BANDWIDTH, "LIST", set_payloads,
     "payloads in bytes (tsi: 8, up to 1M; ssum from 4; iput from 16;"
     " bandwidth: 64K,256K,1M,4M,16M)"},
    {"sweep", 'p', IN_LANES | IN_BANDWIDTH, "A..B", set_sweep,
     "payloads: the powers of two from A to B (ssum, iput: 16..32K)"},
    {"iterations", 'n', IN_LANES | IN_INTEGRITY | IN_WAIT | IN_FIRST | IN_BANDWIDTH, "N",
     set_iterations,
     "per measurement (tsi, ssum, iput: what fits 25 ms; bandwidth: 50 ms;"
     " integrity: 1M messages; wait: 200 wake-ups; first: 200 functions)"},
    {"warmup", 'w', IN_LANES, "N", set_warmup, "round trips before each measurement (1000)"},
    {"rounds", 'r', IN_LANES | IN_BANDWIDTH, "N", set_rounds,
     "how often the modes take turns (20; 4 for several payloads; bandwidth: 10)"},
    {"modes", 'm', IN_LANES | IN_BANDWIDTH, "LIST", set_modes,
     "of bare,am,cached,uncached,image,bitcode,inject,local (tsi: the first four; ssum,"
     " iput: cached,inject,local, and not bare,am);"
     " bandwidth: of put,am,am-safe,cached (all but am-safe)"},
    {"unread", 'u', IN_BANDWIDTH, NULL, set_unread, "the function leaves its payload alone"},
    {"senders", 'f', IN_TSI, "A..B", set_senders,
     "cached only: so many sources into one target, powers of two, 1..16"},
    {"endpoints", 'e', IN_POLL, "A..B", set_endpoints,
     "to one target, powers of two, 1..4096 (1..256)"},
    {"peers", 'k', IN_WAIT, "N", set_peers, "of the target that waits, 1..16 (16)"},
    {"processes", 'P', IN_WAIT, "A..B", set_processes,
     "in pairs, powers of two, 2..16 (2..16)"},
    {"seconds", 'T', IN_FLOOD, "N", set_seconds, "of each delivery (10)"},
    {"burn", 'b', IN_FLOOD, "NS", set_burn,
     "what the target takes for a message; the source takes half (2000)"},
    {"slack", 'l', IN_FLOOD, "BYTES", set_slack,
     "that either side's memory may grow by after a quarter of the time (1M)"},
    {"sizes", 'S', IN_INTEGRITY, "A..B", set_sizes,
     "payloads; one in 256 is up to 64K (1..2048)"},
    {"delivery", 'd', IN_ALL, "LIST", set_deliveries,
     "deliveries by name, or all (integrity, flood: all; the others: auto)"},
    {"tls", 't', IN_ALL, "LIST", set_tls, "UCX transports, for every mode (UCX_TLS)"},
    {"pin", 'c', IN_LANES | IN_INTEGRITY | IN_FIRST | IN_POLL | IN_FLOOD | IN_BANDWIDTH, "A,B",
     set_pin, "cpus of source and target, or none (the first two)"},
    {"ifunc-path", 'I', IN_ALL, "DIRS", set_ifunc_path,
     "where the functions (tsi.tca, ...) are"},
    {"json", 'j', IN_ALL, "FILE", set_json, "also write the result there; - for stdout alone"},
    {"verbose", 'v', IN_ALL, NULL, set_verbose, "every round's figures on stderr"},
};

#define ROW_COUNT (sizeof option_rows / sizeof option_rows[0])

static void print_help(void)
{
    (void)printf(
        "usage: tc-perf tsi|ssum|iput|bandwidth|first|wait|poll|integrity|flood [options]\n"
        "       tc-perf plot FILE.json -o FILE.svg\n"
        "  tsi        half round trip and rate of a function that adds one to a counter:\n"
        "             bare (shared memory alone), am (UCX active messages),\n"
        "             cached (ifunc), uncached (ifunc, code in every message)\n"
        "             image, bitcode (as cached, of that form),\n"
        "             inject (code in every message, kept by nobody),\n"
        "             local (the target has the function itself)\n"
        "  ssum       the same of a function that adds up its payload: cached, inject, local\n"
        "  iput       the same of one that puts it where a hash table says\n"
        "  first      first calls of functions that the target has never seen\n"
        "  bandwidth  of large payloads, and that of UCX: put, am, and cached (ifunc)\n"
        "  wait       what a waiting target costs, and how soon it wakes\n"
        "  poll       what idle endpoints cost a target that polls\n"
        "  integrity  order and content of messages, checked by the ifunc itself\n"
        "  flood      a source twice as fast as its target: what both hold stays flat\n"
        "  plot       draws what --json wrote; needs gnuplot\n\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const option_row *row = &option_rows[i];
        char left[32];
        (void)snprintf(left, sizeof left, "-%c, --%s %s", row->letter, row->name,
                       row->value != NULL ? row->value : "");
        (void)printf("  %-23s %s%s\n", left, row->help,
                     row->where == IN_TSI         ? " [tsi]"
                     : row->where == IN_LANES     ? " [tsi, ssum, iput]"
                     : row->where == IN_WAIT      ? " [wait]"
                     : row->where == IN_POLL      ? " [poll]"
                     : row->where == IN_INTEGRITY ? " [integrity]"
                     : row->where == IN_FLOOD     ? " [flood]"
                     : row->where == IN_BANDWIDTH ? " [bandwidth]"
                                                  : "");
    }
    (void)printf("  -h, --help; -V, --version\n\n"
                 "Two processes on this machine. 1 MB is 2^20 bytes.\n");
}

typedef struct experiment_row {
    const char *name;
    struct {
        char letter; /* of an option; 0 ends the list */
        const char *value;
    } defaults[4];
} experiment_row;

static const experiment_row experiment_rows[] = {
    [PERF_TSI] = {"tsi", {{'s', "8"}, {'m', "bare,am,cached,uncached"}}},
    [PERF_SSUM] = {"ssum", {{'p', "16..32K"}, {'m', "cached,inject,local"}}},
    [PERF_IPUT] = {"iput", {{'p', "16..32K"}, {'m', "cached,inject,local"}}},
    [PERF_BANDWIDTH] = {"bandwidth",
                        {{'s', "64K,256K,1M,4M,16M"}, {'m', "put,am,cached"}, {'r', "10"}}},
    [PERF_INTEGRITY] = {"integrity", {{'n', "1000000"}, {'d', "all"}, {'S', "1..2048"}}},
    [PERF_WAIT] = {"wait", {{'n', "200"}, {'k', "16"}, {'P', "2..16"}}},
    [PERF_POLL] = {"poll", {{'e', "1..256"}}},
    [PERF_FIRST] = {"first", {{'n', "200"}}},
    [PERF_FLOOD] = {"flood", {{'s', "64"}, {'d', "all"}}},
};

#define EXPERIMENT_COUNT (sizeof experiment_rows / sizeof experiment_rows[0])

const char *perf_experiment_name(const perf_options *options)
{
    return experiment_rows[options->experiment].name;
}

/* Archives lie beside the program, both where it is built and where it is installed. */
static bool default_ifunc_path(perf_options *options)
{
    char exe[PERF_PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (size < 0)
        return false;
    exe[size] = '\0';
    *strrchr(exe, '/') = '\0';
    options->ifunc_path = options->text[1];
    return snprintf(options->text[1], PERF_PATH_MAX,
                    "%s/../benchmarks:%s/../share/three-chains/benchmarks", exe,
                    exe) < PERF_PATH_MAX;
}

static void default_pin(perf_options *options)
{
    cpu_set_t allowed;
    int found = 0;
    options->cpus[0] = options->cpus[1] = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
        return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++) {
        if (CPU_ISSET(cpu, &allowed))
            options->cpus[found++] = (int)cpu;
    }
}

static const option_row *find_option(int letter)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (option_rows[i].letter == letter)
            return &option_rows[i];
    }
    return NULL;
}

static bool set_defaults(perf_options *options, const char *experiment)
{
    size_t which = 0;
    while (which < EXPERIMENT_COUNT && strcmp(experiment_rows[which].name, experiment) != 0)
        which++;
    if (which == EXPERIMENT_COUNT)
        return false;
    const experiment_row *row = &experiment_rows[which];
    *options = (perf_options){
        .experiment = (perf_experiment)which,
        .payloads = {8},
        .payload_count = 1,
        .warmup = 1000,
        .delivery_count = 1, /* of the library's own choice */
        .seconds = 10,
        .burn_ns = 2000,
        .slack_bytes = 1u << 20,
    };
    for (size_t i = 0; row->defaults[i].letter != 0; i++)
        (void)find_option(row->defaults[i].letter)->set(options, row->defaults[i].value);
    default_pin(options);
    return default_ifunc_path(options);
}

static perf_parse wrong(const char *what, const char *value)
{
    (void)fprintf(stderr, "tc-perf: %s '%s'; tc-perf --help has the list\n", what, value);
    return PERF_PARSE_WRONG;
}

static perf_parse set_row(perf_options *options, const option_row *row, const char *value)
{
    if ((row->where & (1u << options->experiment)) == 0)
        return wrong("this experiment has no option", row->name);
    if (row->set(options, value))
        return PERF_PARSE_RUN;
    (void)fprintf(stderr, "tc-perf: --%s '%s': expected %s, %s\n", row->name, value, row->value,
                  row->help);
    return PERF_PARSE_WRONG;
}

static perf_parse parse_rows(perf_options *options, int argc, char **argv)
{
    struct option long_options[ROW_COUNT + 1] = {{0}};
    char short_options[2 * ROW_COUNT + 1] = "";
    for (size_t i = 0, at = 0; i < ROW_COUNT; i++) {
        const option_row *row = &option_rows[i];
        long_options[i].name = row->name;
        long_options[i].has_arg = row->value != NULL ? required_argument : no_argument;
        long_options[i].val = row->letter;
        short_options[at++] = row->letter;
        if (row->value != NULL)
            short_options[at++] = ':';
    }
    perf_parse result = PERF_PARSE_RUN;
    for (int letter;
         result == PERF_PARSE_RUN &&
         (letter = getopt_long(argc, argv, short_options, long_options, NULL)) != -1;) {
        const option_row *row = find_option(letter);
        result = row != NULL ? set_row(options, row, optarg) : PERF_PARSE_WRONG;
    }
    if (result == PERF_PARSE_RUN && optind < argc)
        result = wrong("unexpected argument", argv[optind]);
    return result;
}

perf_parse perf_options_parse(perf_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help();
            return PERF_PARSE_DONE;
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            (void)printf("tc-perf %s\n", TC_VERSION_STRING);
            return PERF_PARSE_DONE;
        }
    }
    if (argc < 2)
        return wrong(
            "expected tsi, ssum, iput, bandwidth, first, wait, poll, integrity or flood, "
            "got",
            "");
    if (!set_defaults(options, argv[1]))
        return wrong("no experiment is called", argv[1]);
    perf_parse result = parse_rows(options, argc - 1, argv + 1);
    if (options->rounds == 0)
        options->rounds = options->payload_count == 1 ? ROUNDS_ONE : ROUNDS_SWEEP;
    options->payload_bytes = (size_t)options->payloads[0];
    return result;
}
