#include "perf_option_rows.h"

#include "dapc_table.h"
#include "perf_values.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tc/options.h>

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
#define DAPC_ITERATIONS_MAX 200000u
#define DAPC_DEPTH_MAX (1u << 20)

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
        [PERF_DAPC] = DAPC_ITERATIONS_MAX};
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

static bool set_api(perf_options *options, const char *text)
{
    if (strcmp(text, "compat") == 0)
        options->modes = "cached,compat";
    return strcmp(text, "compat") == 0 || strcmp(text, "own") == 0;
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

/* Every name must be one of those that are known, which also are the default. */
static bool set_names(const char **list, const char *known, const char *text)
{
    char name[32], one[32];
    for (const char *at = text; at != NULL;) {
        bool found = false;
        if (!perf_value_name(&at, ',', name, sizeof name))
            return false;
        for (const char *next = known;
             next != NULL && perf_value_name(&next, ',', one, sizeof one);)
            found = found || strcmp(one, name) == 0;
        if (!found)
            return false;
    }
    *list = text;
    return true;
}

static bool set_functions(perf_options *options, const char *text)
{
    return set_names(&options->functions, PERF_FUNCTIONS_ALL, text);
}

static bool set_paths(perf_options *options, const char *text)
{
    return set_names(&options->paths, PERF_PATHS_ALL, text);
}

static bool set_list(perf_list *list, const char *text, uint64_t max)
{
    return strstr(text, "..") != NULL
               ? perf_value_powers(text, 1, max, list->values, PERF_SENDERS_MAX, &list->count)
               : perf_value_list(text, 1, max, list->values, PERF_SENDERS_MAX, &list->count);
}

static bool set_servers(perf_options *options, const char *text)
{
    return set_list(&options->servers, text, DAPC_SERVERS_MAX);
}

static bool set_depths(perf_options *options, const char *text)
{
    return set_list(&options->depths, text, DAPC_DEPTH_MAX);
}

static bool set_inflight(perf_options *options, const char *text)
{
    return set_list(&options->inflight, text, DAPC_INFLIGHT_MAX);
}

static bool set_wait(perf_options *options, const char *text)
{
    return set_names(&options->wait, "adaptive,spin,yield,block", text);
}

static bool set_transport(perf_options *options, const char *text)
{
    bool tcp = strcmp(text, "tcp") == 0;
    options->transport = text;
    options->tls = tcp ? "tcp,self" : NULL;
    return tcp || strcmp(text, "shm") == 0;
}

static bool set_cache(perf_options *options, const char *text)
{
    options->cache = text;
    return strcmp(text, "warm") == 0 || strcmp(text, "cold") == 0;
}

static bool set_answer(perf_options *options, const char *text)
{
    options->answer = text;
    return strcmp(text, "reply") == 0 || strcmp(text, "ifunc") == 0;
}

static bool set_intrusion(perf_options *options, const char *text)
{
    (void)text;
    options->intrusion = true;
    return true;
}

static bool set_table(perf_options *options, const char *text)
{
    (void)text;
    options->table = true;
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

const perf_option_row perf_option_rows[PERF_OPTION_COUNT] = {
    {"size", 's', IN_LANES | IN_FLOOD | IN_BANDWIDTH, "LIST", set_payloads,
     "payloads in bytes (tsi: 8, at most 1M;"
     " bandwidth: 64K,256K,1M,4M,16M)"},
    {"sweep", 'p', IN_LANES | IN_BANDWIDTH, "A..B", set_sweep,
     "payloads: the powers of two from A to B (ssum, iput: 16..32K)"},
    {"iterations", 'n', IN_LANES | IN_INTEGRITY | IN_WAIT | IN_BANDWIDTH | IN_DAPC, "N",
     set_iterations,
     "per measurement (tsi, ssum, iput: what fits 25 ms; bandwidth: 50 ms;"
     " integrity: 1M messages; wait: 200 wake-ups; dapc: chases in 50 ms)"},
    {"warmup", 'w', IN_LANES, "N", set_warmup, "round trips before each measurement (1000)"},
    {"rounds", 'r', IN_LANES | IN_BANDWIDTH | IN_FIRST | IN_DAPC, "N", set_rounds,
     "turns of each mode (20; several payloads: 4; bandwidth, first-call, dapc: 10)"},
    {"functions", 'F', IN_FIRST, "LIST", set_functions, "of tsi,hash_map,saxpy (all)"},
    {"paths", 'W', IN_FIRST, "LIST", set_paths, "ways to become callable (all)"},
    {"intrusion", 'i', IN_FIRST, NULL, set_intrusion,
     "instead: cached calls of one peer while another sends 100 new functions a second"},
    {"table", 'x', IN_TSI, NULL, set_table,
     "print the Three-Chains paper's Tables IV to VI too"},
    {"modes", 'm', IN_LANES | IN_BANDWIDTH | IN_DAPC, "LIST", set_modes,
     "of bare,am,cached,uncached,image,bitcode,inject,local,compat (tsi: the first four; ssum,"
     " iput: cached,inject,local);"
     " bandwidth: of put,am,am-safe,cached (not am-safe);"
     " dapc: get,am,bitcode,image"},
    {"api", 'A', IN_TSI, "NAME", set_api,
     "own, or compat: the original's API beside it, as modes cached,compat (own)"},
    {"servers", 'N', IN_DAPC, "LIST", set_servers, "1,4,8 or 1..16, at most 16 (1,4,8)"},
    {"depth", 'D', IN_DAPC, "LIST", set_depths, "entries of a chase, 1..4096 or a list (4096)"},
    {"inflight", 'q', IN_DAPC, "LIST", set_inflight, "chases at once, at most 64 (1)"},
    {"wait", 'a', IN_DAPC, "LIST", set_wait,
     "of adaptive,spin,yield,block: how all members wait (adaptive)"},
    {"transport", 'o', IN_DAPC, "NAME", set_transport, "tcp, or shm: UCX's own choice (tcp)"},
    {"cache", 'C', IN_DAPC, "NAME", set_cache,
     "warm, or cold: each chase's code is new to the servers (warm)"},
    {"return", 'R', IN_DAPC, "NAME", set_answer,
     "reply, or ifunc: the result travels as another function (reply)"},
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
    {"pin", 'c', IN_LANES | IN_INTEGRITY | IN_POLL | IN_FLOOD | IN_BANDWIDTH, "A,B", set_pin,
     "cpus of source and target, or none (the first two)"},
    {"ifunc-path", 'I', IN_ALL, "DIRS", set_ifunc_path,
     "where the functions (tsi.tca, ...) are"},
    {"json", 'j', IN_ALL, "FILE", set_json, "also write the result there; - for stdout alone"},
    {"verbose", 'v', IN_ALL, NULL, set_verbose, "every round's figures on stderr"},
};
