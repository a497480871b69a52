/* The trace: each event changes the hash, and is printed where the program asks for lines. */
#include "sim_trace.h"

#include "sim_guard.h"
#include "sim_world.h"

#include "base/error_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_FACTOR 0x9fb21c651e98df25u
#define DETAIL_BYTES 160u

void sim_trace_number(tc_sim_world *world, uint64_t number)
{
    uint64_t h = (world->hash ^ number) * HASH_FACTOR;
    world->hash = h ^ (h >> 29);
}

/* --- lines ------------------------------------------------------------------------------- */

static const tc_sim_node *running_node(const tc_sim_world *world)
{
    return world->running != NULL ? world->running->node : NULL;
}

static void print_line(tc_sim_world *world, const char *word, const char *detail)
{
    const tc_sim_node *node = running_node(world);
    char line[DETAIL_BYTES + 64], who[24] = "world";
    if (node != NULL)
        (void)snprintf(who, sizeof who, "node %u", node->number);
    (void)snprintf(line, sizeof line, "%14.6f ms  %-9s %-8s  %s",
                   (double)tc_sim_now_ns(world) / 1e6, who, word, detail);
    world->params.trace(world->params.user, line);
    sim_guard_begin(world); /* the trace may take its time */
}

static const char *node_name(uint32_t number, char text[24])
{
    (void)snprintf(text, 24, number == SIM_TRACE_NO_NODE ? "no node" : "node %" PRIu32, number);
    return text;
}

static void print_arrival(tc_sim_world *world, const char *word, uint64_t nodes, uint64_t size)
{
    static const char *const segments[] = {"bytes", "end", "reset", "answer"};
    char detail[DETAIL_BYTES], from[24], to[24], bytes[24] = "";
    if ((size & 3) == SIM_TRACE_BYTES)
        (void)snprintf(bytes, sizeof bytes, "%" PRIu64 " ", size >> 2);
    (void)snprintf(detail, sizeof detail, "%s to %s: %s%s",
                   node_name((uint32_t)(nodes >> 32), from), node_name((uint32_t)nodes, to),
                   bytes, segments[size & 3]);
    print_line(world, word, detail);
}

static void print_event(tc_sim_world *world, sim_trace_kind kind, uint64_t a, uint64_t b)
{
    static const char *const words[] = {
#define SIM_TRACE_WORD(kind, word) word,
        SIM_TRACE_KINDS(SIM_TRACE_WORD)
#undef SIM_TRACE_WORD
    };
    char detail[DETAIL_BYTES];
    switch (kind) {
    case SIM_TRACE_BEGINS:
        (void)snprintf(detail, sizeof detail, "node %" PRIu64 " on host %" PRIu64, a, b);
        break;
    case SIM_TRACE_RUNS:
        (void)snprintf(detail, sizeof detail, "node %" PRIu64 "%s", a,
                       b != 0 ? " as its time is over" : "");
        break;
    case SIM_TRACE_ENDS:
        (void)snprintf(detail, sizeof detail, "node %" PRIu64 " leaves %" PRIu64 " bytes", a,
                       b);
        break;
    case SIM_TRACE_ARRIVES:
        print_arrival(world, words[kind], a, b);
        return;
    case SIM_TRACE_CONNECTS:
    case SIM_TRACE_CUT:
    case SIM_TRACE_JOINED:
        (void)snprintf(detail, sizeof detail, "host %" PRIu64 " to host %" PRIu64, a >> 32,
                       a & UINT32_MAX);
        break;
    case SIM_TRACE_KILLED:
        (void)snprintf(detail, sizeof detail, "node %" PRIu64, a);
        break;
    case SIM_TRACE_PAUSED:
        (void)snprintf(detail, sizeof detail, "node %" PRIu64 " for %.6f ms", a,
                       (double)b / 1e6);
        break;
    case SIM_TRACE_FAILS:
        (void)snprintf(detail, sizeof detail, "call %" PRIu64, a);
        break;
    }
    print_line(world, words[kind], detail);
}

void sim_trace_event(tc_sim_world *world, sim_trace_kind kind, uint64_t a, uint64_t b)
{
    const tc_sim_node *node = running_node(world);
    sim_trace_number(world, tc_sim_now_ns(world));
    sim_trace_number(world, node != NULL ? node->number : UINT64_MAX);
    sim_trace_number(world, (uint64_t)kind);
    sim_trace_number(world, a);
    sim_trace_number(world, b);
    if (world->params.trace != NULL)
        print_event(world, kind, a, b);
}

void tc_sim_note(const char *format, ...)
{
    char detail[DETAIL_BYTES];
    va_list list;
    tc_sim_world *world = sim_world_current;
    if (world == NULL || world->params.trace == NULL)
        return;
    va_start(list, format);
    (void)vsnprintf(detail, sizeof detail, format, list);
    va_end(list);
    print_line(world, "notes", detail);
}

/* --- seeds ------------------------------------------------------------------------------- */

const char *tc_sim_seed_text(uint64_t seed, char text[TC_SIM_SEED_BYTES])
{
    (void)snprintf(text, TC_SIM_SEED_BYTES, "%u:%" PRIu64, TC_SIM_VERSION, seed);
    return text;
}

/* Reads a decimal number up to `end`. */
static bool read_number(const char *text, const char *end, uint64_t *number_out)
{
    char *after;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number_out = strtoull(text, &after, 10);
    return errno == 0 && after == end;
}

tc_status tc_sim_seed_parse(const char *text, uint64_t *seed_out, tc_error *err)
{
    uint64_t version = TC_SIM_VERSION, seed;
    const char *colon = strchr(text, ':');
    const bool whole = colon == NULL || read_number(text, colon, &version);
    const char *digits = colon != NULL ? colon + 1 : text;
    if (!whole || !read_number(digits, digits + strlen(digits), &seed))
        return tci_error_set(err, TC_E_INVALID,
                             "seed '%.40s', expected VERSION:NUMBER, such as %u:7", text,
                             TC_SIM_VERSION);
    if (version != TC_SIM_VERSION)
        return tci_error_set(err, TC_E_VERSION,
                             "seed '%.40s' is of version %" PRIu64
                             " of the simulator; this is version %u, where it stands for "
                             "another run",
                             text, version, TC_SIM_VERSION);
    *seed_out = seed;
    return TC_OK;
}
