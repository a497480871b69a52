#include "perf_option_rows.h"

#include "perf_experiment.h"
#include "perf_value.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tc/options.h>

#define WARMUP_MAX 10000000u
#define SECONDS_MAX 86400u
#define BURN_NS_MAX 1000000000u
#define SLACK_MAX (1ull << 40)
#define SIZES_MAX (64u << 10)
#define ROUNDS_MAX 1000u
#define SENDERS_MAX 16u
#define ENDPOINTS_MAX 4096u
#define DEPTH_MAX (1u << 20)
#define OUTSTANDING_MAX 1024u
#define RING_BYTES_MAX (2u << 20)

static bool lists_all(const char *known, const char *names)
{
    char name[32];
    while (names != NULL) {
        if (!perf_value_name(&names, ',', name, sizeof name) ||
            !perf_value_lists(known, ',', name))
            return false;
    }
    return true;
}

/* --- options that are more than one value -------------------------------------------- */

static bool set_api(perf_options *options, const char *text)
{
    if (strcmp(text, "compat") == 0)
        options->modes = "cached,compat";
    return true;
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

/* UCX needs its loopback transport for a worker's own address; a list without it fails late and
 * oddly. */
static bool set_tls(perf_options *options, const char *text)
{
    bool as_given = *text == '^' || strstr(text, "self") != NULL || strstr(text, "all") != NULL;
    int size = snprintf(options->text[0], PERF_PATH_MAX, "%s%s", text, as_given ? "" : ",self");
    options->tls = options->text[0];
    return *text != '\0' && size < PERF_PATH_MAX;
}

/* The experiment has the permitted values. Where there is "all", several may be named. */
static bool set_function(perf_options *options, const char *text)
{
    const char *known = options->experiment->functions;
    bool several = perf_value_lists(known, ',', "all");
    return (several || strchr(text, ',') == NULL) && lists_all(known, text);
}

static bool set_transport(perf_options *options, const char *text)
{
    options->tls = strcmp(text, "tcp") == 0 ? "tcp,self" : NULL;
    return true;
}

/* "A,B", with that behind it. */
static bool take_pair(const cpu_set_t *allowed, const char **text, char behind, int *cpus_out)
{
    for (int i = 0; i < 2; i++) {
        char *end;
        if (**text < '0' || **text > '9')
            return false;
        unsigned long cpu = strtoul(*text, &end, 10);
        if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, allowed) || *end != (i == 0 ? ',' : behind))
            return false;
        cpus_out[i] = (int)cpu;
        *text = end + (*end != '\0');
    }
    return true;
}

static bool set_pin(perf_options *options, const char *text)
{
    cpu_set_t allowed;
    const bool are_two = options->experiment->takes_pairs && strchr(text, ':') != NULL;
    options->is_pinned = true;
    options->pair_count = 0;
    if (strcmp(text, "none") == 0) {
        options->cpus[0] = options->cpus[1] = -1;
        return true;
    }
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        !take_pair(&allowed, &text, are_two ? ':' : '\0', options->cpus))
        return false;
    if (!are_two)
        return true;
    options->pair_count = 2;
    memcpy(options->pairs[0], options->cpus, sizeof options->cpus);
    return take_pair(&allowed, &text, '\0', options->pairs[1]);
}

/* --- the table ------------------------------------------------------------------------ */

#define VALUE(kind, member) PERF_##kind, offsetof(perf_options, member), 0, 0, NULL, NULL
#define NUMBERS(kind, member, min, max)                                                        \
    PERF_##kind, offsetof(perf_options, member), min, max, NULL, NULL
#define NAMES(kind, member, names, set)                                                        \
    PERF_##kind, offsetof(perf_options, member), 0, 0, names, set
#define OTHER(set) PERF_OTHER, 0, 0, 0, NULL, set

/* In the order of help and of the report. */
const perf_option_row perf_option_rows[] = {
    {"size", 's', "LIST", "sizes", NUMBERS(LIST, payloads, 0, 0), "payloads in bytes"},
    {"sweep", 'p', "A..B", NULL, NUMBERS(POWERS, payloads, 0, 0),
     "payloads: the powers of two from A to B"},
    {"outstanding", 'O', "LIST", NULL, NUMBERS(NUMBERS, outstanding, 1, OUTSTANDING_MAX),
     "calls at once, 1,16,64 or 1..1024, at most 1024"},
    {"iterations", 'n', "N", NULL, NUMBERS(COUNT, iterations, 1, 0),
     "messages, calls or wake-ups of each measurement"},
    {"warmup", 'w', "N", "warmup", NUMBERS(COUNT, warmup, 1, WARMUP_MAX),
     "round trips before each measurement"},
    {"rounds", 'r', "N", "rounds", NUMBERS(UNSIGNED, rounds, 1, ROUNDS_MAX),
     "turns of each mode"},
    {"functions", 'F', "LIST", NULL, NAMES(NAMES, functions, "tsi,hash_map,saxpy", NULL),
     "of tsi,hash_map,saxpy"},
    {"paths", 'W', "LIST", NULL,
     NAMES(NAMES, paths, "jit-cold,jit-warm,jit-best,cached,restart,image,prepared", NULL),
     "ways to become callable"},
    {"intrusion", 'i', NULL, NULL, VALUE(FLAG, intrusion),
     "instead: cached calls of one peer while another sends 100 new functions a second"},
    {"holes", 'H', NULL, NULL, VALUE(FLAG, holes),
     "instead: calls with values that are new to the target, 100 in a round"},
    {"table", 'x', NULL, NULL, VALUE(FLAG, table),
     "instead: tsi beside the paper's Tables IV to VI"},
    {"modes", 'm', "LIST", "modes", VALUE(TEXT, modes), "what is compared"},
    {"api", 'A', "NAME", NULL, NAMES(CHOICE, api, "own,compat", set_api),
     "own, or compat: the original's API beside it, as modes cached,compat (own)"},
    {"servers", 'N', "LIST", NULL, NUMBERS(NUMBERS, servers, 1, PERF_SERVERS_MAX),
     "1,4,8 or 1..64, at most 64"},
    {"depth", 'D', "LIST", NULL, NUMBERS(NUMBERS, depths, 1, DEPTH_MAX),
     "entries of a chase, 1..4096 or a list"},
    {"inflight", 'q', "LIST", NULL, NUMBERS(NUMBERS, inflight, 1, PERF_INFLIGHT_MAX),
     "chases at once, at most 64"},
    {"wait", 'a', "LIST", "wait", NAMES(NAMES, wait, "adaptive,spin,yield,block", NULL),
     "of adaptive,spin,yield,block: how all members wait"},
    {"function", 'U', "NAME", "function", NAMES(TEXT, function, NULL, set_function),
     "the function:"},
    {"load", 'L', "LIST", "load", NAMES(NAMES, load, "none,vm,cpu", NULL),
     "of none,vm,cpu: other programs on the same processors"},
    {"stressor", 'K', "NAME", "stressor", NAMES(CHOICE, stressor, "auto,own,stress-ng", NULL),
     "who the load is: own, stress-ng, or auto: that where there is one"},
    {"placement", 'M', "LIST", "placement", NAMES(NAMES, placement, "cache,own,memory", NULL),
     "of cache,own,memory: where frames lie when they are read"},
    {"ring-bytes", 'g', "LIST", NULL, NUMBERS(NUMBERS, ring_bytes, 4096, RING_BYTES_MAX),
     "instead: rates with rings of 4K..2M, 16K,64K or a list"},
    {"transport", 'o', "NAME", "transport", NAMES(CHOICE, transport, "tcp,shm", set_transport),
     "tcp, or shm: UCX's own choice"},
    {"cache", 'C', "NAME", "cache", NAMES(CHOICE, cache, "warm,cold", NULL),
     "warm, or cold: each chase's code is new to the servers"},
    {"return", 'R', "NAME", "return", NAMES(CHOICE, answer, "reply,ifunc", NULL),
     "reply, or ifunc: the result travels as another function"},
    {"start", 'B', "NAME", "start", NAMES(CHOICE, start, "owner,any", NULL),
     "of the first entry: owner; or any server, which forwards"},
    {"server-program", 'G', "PATH", NULL, VALUE(TEXT, server_program),
     "servers are this tc-perf, or what starts one by an emulator"},
    {"unread", 'u', NULL, NULL, VALUE(FLAG, unread), "the function leaves its payload alone"},
    {"senders", 'f', "A..B", NULL, NUMBERS(POWERS, senders, 1, SENDERS_MAX),
     "cached only: so many sources into one target, powers of two, 1..16"},
    {"threads", 'y', NULL, NULL, VALUE(FLAG, threads),
     "senders as threads of one process, too, each with a context of its own"},
    {"endpoints", 'e', "A..B", NULL, NUMBERS(POWERS, endpoints, 1, ENDPOINTS_MAX),
     "to one target, powers of two, 1..4096"},
    {"peers", 'k', "N", "peers", NUMBERS(UNSIGNED, peers, 1, SENDERS_MAX),
     "of the target that waits, 1..16"},
    {"origins", 'E', "N", "origins", NUMBERS(UNSIGNED, origins, 1, 7),
     "ranks that ask one target, 1..7"},
    {"processes", 'P', "A..B", NULL, NUMBERS(EVEN, processes, 2, SENDERS_MAX),
     "in pairs, powers of two, 2..16"},
    {"seconds", 'T', "N", "seconds", NUMBERS(COUNT, seconds, 1, SECONDS_MAX),
     "of each delivery"},
    {"burn", 'b', "NS", "burn_ns", NUMBERS(COUNT, burn_ns, 0, BURN_NS_MAX),
     "what the target takes for a message; the source takes half"},
    {"slack", 'l', "BYTES", "slack_bytes", NUMBERS(COUNT, slack_bytes, 0, SLACK_MAX),
     "that either side's memory may grow by after a quarter of the time"},
    {"sizes", 'S', "A..B", "sizes", NUMBERS(RANGE, sizes, 1, SIZES_MAX),
     "payloads; one in 256 is up to 64K"},
    {"delivery", 'd', "LIST", NULL, OTHER(set_deliveries), "deliveries by name, or all"},
    {"tls", 't', "LIST", NULL, OTHER(set_tls), "UCX transports, for every mode (UCX_TLS)"},
    {"pin", 'c', "A,B", NULL, OTHER(set_pin),
     "cpus of source and target, or none; see tc-perf(1)"},
    {"ifunc-path", 'I', "DIRS", NULL, VALUE(TEXT, ifunc_path),
     "where the functions (tsi.tca, ...) are"},
    {"json", 'j', "FILE", NULL, VALUE(TEXT, json_path),
     "also write the result there; - for stdout alone"},
    {"verbose", 'v', NULL, NULL, VALUE(FLAG, verbose), "every round's figures on stderr"},
};

const size_t perf_option_count = sizeof perf_option_rows / sizeof perf_option_rows[0];

/* --- operations on a row --------------------------------------------------------- */

bool perf_option_rows_common(const perf_option_row *row)
{
    return perf_value_lists("delivery tls ifunc-path json verbose", ' ', row->name);
}

bool perf_option_rows_taken(const perf_option_row *row, const perf_experiment *experiment)
{
    return perf_option_rows_common(row) ||
           perf_value_lists(experiment->options, ' ', row->name);
}

static bool set_text(const perf_option_row *row, const char **at, const char *text)
{
    *at = text;
    return row->type == PERF_CHOICE  ? perf_value_lists(row->names, ',', text)
           : row->type == PERF_NAMES ? lists_all(row->names, text)
                                     : *text != '\0';
}

static bool set_list(const perf_option_row *row, perf_list *list, const char *text,
                     perf_range limits)
{
    bool powers =
        row->type == PERF_NUMBERS ? strstr(text, "..") != NULL : row->type != PERF_LIST;
    bool ok = (powers ? perf_value_powers : perf_value_list)(
        text, limits.min, limits.max, list->values, PERF_LIST_MAX, &list->count);
    for (unsigned i = 0; ok && row->type == PERF_EVEN && i < list->count; i++)
        ok = list->values[i] % 2 == 0;
    return ok;
}

static perf_range limits_of(const perf_option_row *row, const perf_experiment *experiment)
{
    if (row->max != 0)
        return (perf_range){row->min, row->max};
    if (row->type == PERF_COUNT)
        return (perf_range){row->min, experiment->iterations_max};
    return experiment->payload_bytes;
}

static bool set_unsigned(unsigned *at, const char *text, perf_range limits)
{
    uint64_t value;
    bool ok = perf_value_count(text, limits.min, limits.max, &value);
    if (ok)
        *at = (unsigned)value;
    return ok;
}

static bool set_value(const perf_option_row *row, perf_options *options, const char *text)
{
    void *at = (unsigned char *)options + row->offset;
    const perf_range limits = limits_of(row, options->experiment);
    switch (row->type) {
    case PERF_FLAG:
        return *(bool *)at = true;
    case PERF_COUNT:
        return perf_value_count(text, limits.min, limits.max, at);
    case PERF_UNSIGNED:
        return set_unsigned(at, text, limits);
    case PERF_RANGE:
        return perf_value_range(text, limits.min, limits.max, &((perf_range *)at)->min,
                                &((perf_range *)at)->max);
    case PERF_LIST:
    case PERF_POWERS:
    case PERF_EVEN:
    case PERF_NUMBERS:
        return set_list(row, at, text, limits);
    case PERF_TEXT:
    case PERF_CHOICE:
    case PERF_NAMES:
        return set_text(row, at, text);
    case PERF_OTHER:
        break;
    }
    return true;
}

bool perf_option_rows_set(const perf_option_row *row, perf_options *options, const char *text)
{
    return set_value(row, options, text) && (row->set == NULL || row->set(options, text));
}
