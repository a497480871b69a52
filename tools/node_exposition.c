/* A page has some ten thousand lines, and is made in milliseconds: the labels of an entry are
 * escaped once, and lines are put together by copies, without printf. */
#include "node_exposition.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/version.h>

#define NUMBER_MAX 24u /* bytes of a number */
#define NAME_MAX_BYTES 96u
#define ID_BYTES 16u

/* --- memory ------------------------------------------------------------------------------- */

/* Makes capacity for `more` bytes of text. */
static bool grow(char **text, size_t used, size_t *capacity, size_t more)
{
    size_t wanted = *capacity == 0 ? 65536 : *capacity;
    if (more <= *capacity - used)
        return true;
    while (wanted - used < more)
        wanted *= 2;
    char *larger = realloc(*text, wanted); /* bound: that of the rows times the families */
    if (larger == NULL)
        return false;
    *text = larger;
    *capacity = wanted;
    return true;
}

static bool has_capacity(node_exposition *e, size_t more)
{
    if (!e->failed && !grow(&e->text, e->size, &e->text_capacity, more))
        e->failed = true;
    return !e->failed;
}

/* The capacity is there. */
static void append(node_exposition *e, const char *bytes, size_t size)
{
    memcpy(e->text + e->size, bytes, size);
    e->size += size;
}

static void append_text(node_exposition *e, const char *text)
{
    if (has_capacity(e, strlen(text)))
        append(e, text, strlen(text));
}

/* Writes a number's digits before `end`, at least `least` of them. Returns the first. */
static char *digits(char *end, uint64_t number, int least)
{
    while (number > 0 || least > 0) {
        *--end = (char)('0' + number % 10);
        number /= 10;
        least--;
    }
    return end;
}

static void append_number(node_exposition *e, uint64_t number)
{
    char text[NUMBER_MAX];
    const char *first = digits(text + sizeof text, number, 1);
    append(e, first, (size_t)(text + sizeof text - first));
}

static void append_seconds(node_exposition *e, uint64_t ns)
{
    char text[NUMBER_MAX];
    char *first = digits(text + sizeof text, ns % 1000000000u, 9);
    *--first = '.';
    first = digits(first, ns / 1000000000u, 1);
    append(e, first, (size_t)(text + sizeof text - first));
}

/* --- rows --------------------------------------------------------------------------------- */

/* Appends a label's value in quotes, escaped. */
static char *put_value(char *at, const char *value)
{
    *at++ = '"';
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\' || *value == '\n')
            *at++ = '\\';
        *at++ = *value == '\n' ? 'n' : *value;
    }
    *at++ = '"';
    return at;
}

static char *put_text(char *at, const char *text)
{
    const size_t size = strlen(text);
    memcpy(at, text, size);
    return at + size;
}

static char *put_id(char *at, const uint8_t *id)
{
    static const char hex[] = "0123456789abcdef";
    *at++ = '"';
    for (size_t i = 0; id != NULL && i < ID_BYTES; i++) {
        *at++ = hex[id[i] >> 4];
        *at++ = hex[id[i] & 15];
    }
    *at++ = '"';
    return at;
}

static char *put_peer(char *at, const tc_usage_entry *entry)
{
    char number[16];
    (void)snprintf(number, sizeof number, "%" PRIu32, entry->peer);
    at = put_value(at, entry->is_other ? "other" : number);
    at = put_value(put_text(at, ",address="), entry->is_other ? "" : entry->name);
    return put_value(put_text(at, ",identity="), entry->identity);
}

/* An escaped text takes twice its bytes at most. */
static size_t labels_max(const tc_usage_entry *entry)
{
    return 2 * (strlen(entry->name) + strlen(entry->identity)) + 128;
}

static size_t put_labels(char *at, const tc_usage_entry *entry)
{
    const char *begin = at;
    if (entry->kind == TC_USAGE_PEER)
        return (size_t)(put_peer(at, entry) - begin);
    at = put_value(at, entry->name);
    if (entry->kind == TC_USAGE_FUNCTION)
        at = put_id(put_text(at, ",id="), entry->id);
    return (size_t)(at - begin);
}

static bool has_capacity_for_row(node_exposition *e, const tc_usage_entry *entry)
{
    if (e->count == e->capacity) {
        const size_t capacity = e->capacity == 0 ? 256 : 2 * e->capacity;
        node_exposition_row *rows = realloc(
            e->rows, capacity * sizeof *rows); /* bound: functions here, TC_USAGE_PEERS_MAX, */
        if (rows == NULL)                      /* TC_USAGE_IDENTITIES_MAX */
            return false;
        e->rows = rows;
        e->capacity = capacity;
    }
    return grow(&e->labels, e->labels_used, &e->labels_capacity, labels_max(entry));
}

static void add_row(node_exposition *e, const tc_usage_entry *entry)
{
    if (!has_capacity_for_row(e, entry)) {
        e->failed = true;
        return;
    }
    node_exposition_row *row = &e->rows[e->count++];
    row->entry = *entry;
    row->labels_at = e->labels_used;
    row->labels_size = put_labels(e->labels + e->labels_used, entry);
    e->labels_used += row->labels_size;
}

/* Adds to the sum of those functions that have no lines. */
static void add_more(tc_usage_entry *sum, const tc_usage_entry *entry)
{
    sum->calls += entry->calls;
    sum->bytes += entry->bytes;
    sum->loads += entry->loads;
    sum->load_ns += entry->load_ns;
    sum->refusals += entry->refusals;
    sum->evictions += entry->evictions;
}

void node_exposition_add(void *exposition, const tc_usage_entry *entry)
{
    node_exposition *e = exposition;
    if (entry->kind != TC_USAGE_FUNCTION) {
        add_row(e, entry);
    } else if (entry->is_other || e->functions == NODE_EXPOSITION_FUNCTIONS_MAX) {
        add_more(&e->more, entry);
    } else {
        e->functions++;
        add_row(e, entry);
    }
}

/* The percentiles of a sum are not known, so it counts as not timed. */
static void add_row_of_more(node_exposition *e)
{
    e->more.kind = TC_USAGE_FUNCTION;
    e->more.name = "other";
    e->more.identity = "";
    if ((e->more.calls | e->more.loads | e->more.refusals | e->more.evictions) != 0)
        add_row(e, &e->more);
    e->more = (tc_usage_entry){0};
}

/* --- families ----------------------------------------------------------------------------- */

typedef struct family {
    const char *name; /* ends with the unit, if it has one */
    const char *unit; /* or "" */
    const char *help;
    const char *label; /* the first label, with '=' */
    tc_usage_kind kind;
    bool is_rare;  /* entries at 0 have no line */
    bool is_gauge; /* its field has 32 bits */
    size_t field;  /* in tc_usage_entry; a time in ns where the unit is seconds */
} family;

#define OF(member) offsetof(tc_usage_entry, member)
static const family families[] = {
    {"tchains_function_calls", "", "Calls of the function.", "function=", TC_USAGE_FUNCTION,
     false, false, OF(calls)},
    {"tchains_function_payload_bytes", "bytes", "Payloads of the calls of the function.",
     "function=", TC_USAGE_FUNCTION, false, false, OF(bytes)},
    {"tchains_function_loads", "", "How often its code became callable, or better.",
     "function=", TC_USAGE_FUNCTION, true, false, OF(loads)},
    {"tchains_function_load_seconds", "seconds", "Time of these loads.",
     "function=", TC_USAGE_FUNCTION, true, false, OF(load_ns)},
    {"tchains_function_refusals", "", "How often the function was refused.",
     "function=", TC_USAGE_FUNCTION, true, false, OF(refusals)},
    {"tchains_function_evictions", "", "How often its code was evicted.",
     "function=", TC_USAGE_FUNCTION, true, false, OF(evictions)},
    {"tchains_peer_calls", "", "Calls of the peer's.", "peer=", TC_USAGE_PEER, false, false,
     OF(calls)},
    {"tchains_peer_payload_bytes", "bytes", "Payloads of the calls of the peer's.",
     "peer=", TC_USAGE_PEER, false, false, OF(bytes)},
    {"tchains_peer_turns", "", "Series of calls of the peer's that ran at a time.",
     "peer=", TC_USAGE_PEER, false, false, OF(turns)},
    {"tchains_peer_turns_full", "", "Those of them that left messages waiting.",
     "peer=", TC_USAGE_PEER, false, false, OF(turns_full)},
    {"tchains_peer_refusals", "", "Functions of the peer's that were refused.",
     "peer=", TC_USAGE_PEER, true, false, OF(refusals)},
    {"tchains_identity_calls", "", "Calls of the identity's peers.",
     "identity=", TC_USAGE_IDENTITY, false, false, OF(calls)},
    {"tchains_identity_payload_bytes", "bytes", "Payloads of these calls.",
     "identity=", TC_USAGE_IDENTITY, false, false, OF(bytes)},
    {"tchains_identity_refusals", "", "Functions of the identity's peers that were refused.",
     "identity=", TC_USAGE_IDENTITY, true, false, OF(refusals)},
    {"tchains_identity_peers", "", "Connected peers of the identity that have called.",
     "identity=", TC_USAGE_IDENTITY, false, true, OF(peers)},
};

static void append_head(node_exposition *e, const char *name, const char *type,
                        const char *unit, const char *help)
{
    char text[4 * NAME_MAX_BYTES + 128];
    (void)snprintf(text, sizeof text, "# TYPE %s %s\n%s%s%s%s%s# HELP %s %s\n", name, type,
                   *unit != '\0' ? "# UNIT " : "", *unit != '\0' ? name : "",
                   *unit != '\0' ? " " : "", unit, *unit != '\0' ? "\n" : "", name, help);
    append_text(e, text);
}

/* Appends `start`, the row's labels and `end`; then there is capacity for a number and a line's
 * end. */
static bool begin_line(node_exposition *e, const char *start, const node_exposition_row *row,
                       const char *end)
{
    const size_t start_size = strlen(start), end_size = strlen(end);
    if (!has_capacity(e, start_size + row->labels_size + end_size + NUMBER_MAX + 1))
        return false;
    append(e, start, start_size);
    append(e, e->labels + row->labels_at, row->labels_size);
    append(e, end, end_size);
    return true;
}

static uint64_t field_of(const family *f, const tc_usage_entry *entry)
{
    uint64_t number = 0;
    uint32_t small = 0;
    if (f->is_gauge)
        memcpy(&small, (const char *)entry + f->field, sizeof small);
    else
        memcpy(&number, (const char *)entry + f->field, sizeof number);
    return f->is_gauge ? small : number;
}

static void render_family(node_exposition *e, const family *f)
{
    char start[NAME_MAX_BYTES];
    (void)snprintf(start, sizeof start, "%s%s{%s", f->name, f->is_gauge ? "" : "_total",
                   f->label);
    append_head(e, f->name, f->is_gauge ? "gauge" : "counter", f->unit, f->help);
    for (size_t i = 0; i < e->count; i++) {
        const node_exposition_row *row = &e->rows[i];
        const uint64_t number = row->entry.kind == f->kind ? field_of(f, &row->entry) : 0;
        if (row->entry.kind != f->kind || (f->is_rare && number == 0) ||
            !begin_line(e, start, row, "} "))
            continue;
        if (strcmp(f->unit, "seconds") == 0)
            append_seconds(e, number);
        else
            append_number(e, number);
        append(e, "\n", 1);
    }
}

/* --- run times ---------------------------------------------------------------------------- */

#define DURATION "rpc_server_call_duration_seconds"
#define DURATION_LABELS "{rpc_system_name=\"tchains\",rpc_method="

static void append_time(node_exposition *e, const node_exposition_row *row, const char *start,
                        const char *end, uint64_t ns)
{
    if (!begin_line(e, start, row, end))
        return;
    append_seconds(e, ns);
    append(e, "\n", 1);
}

static void render_times(node_exposition *e)
{
    append_head(e, DURATION, "summary", "seconds",
                "Run time of calls, of a sample: sum and quantiles are estimates.");
    for (size_t i = 0; i < e->count; i++) {
        const node_exposition_row *row = &e->rows[i];
        if (row->entry.kind != TC_USAGE_FUNCTION || row->entry.timed == 0)
            continue;
        append_time(e, row, DURATION DURATION_LABELS, ",quantile=\"0.5\"} ", row->entry.p50_ns);
        append_time(e, row, DURATION DURATION_LABELS, ",quantile=\"0.99\"} ",
                    row->entry.p99_ns);
        append_time(e, row, DURATION "_sum" DURATION_LABELS, "} ", row->entry.time_ns);
        if (begin_line(e, DURATION "_count" DURATION_LABELS, row, "} ")) {
            append_number(e, row->entry.calls);
            append(e, "\n", 1);
        }
    }
}

/* --- the page ----------------------------------------------------------------------------- */

static void render_counter(node_exposition *e, const char *name, uint64_t number)
{
    char text[NAME_MAX_BYTES];
    (void)snprintf(text, sizeof text, "tchains_%s", name);
    append_head(e, text, "counter", "", "See tc_context(3).");
    append_text(e, text);
    append_text(e, "_total ");
    if (has_capacity(e, NUMBER_MAX + 1)) {
        append_number(e, number);
        append(e, "\n", 1);
    }
}

static void render_build(node_exposition *e)
{
    append_head(e, "tchains_build", "info", "", "The version of tc-node.");
    append_text(e, "tchains_build_info{version=\"" TC_VERSION_STRING "\"} 1\n");
}

bool node_exposition_render(node_exposition *e, const node_counters *counters)
{
    size_t count = tc_stats_count();
    e->size = 0;
    add_row_of_more(e);
    render_build(e);
    for (size_t i = 0; i < count && i < NODE_COUNTERS_MAX; i++)
        render_counter(e, tc_stats_name(i), counters->values[i]);
    for (size_t i = 0; e->count > 0 && i < sizeof families / sizeof families[0]; i++)
        render_family(e, &families[i]);
    if (e->count > 0)
        render_times(e);
    append_text(e, "# EOF\n");
    const bool ok = !e->failed;
    e->failed = false;
    e->count = e->functions = e->labels_used = 0;
    return ok;
}

void node_exposition_free(node_exposition *e)
{
    free(e->rows);
    free(e->labels);
    free(e->text);
    *e = (node_exposition){0};
}
