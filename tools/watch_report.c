/* Prints functions, peers and identities as tables of their rates. */
#include "watch_report.h"

#include "tool_json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/status.h>
#include <time.h>

#define LINE_MAX_BYTES 512u
#define HEAD_LINES 5u
#define ROWS_MAX 20u /* of each table, where a screen does not limit them */

static const char *const kinds[NODE_ACTIVITY_KINDS] = {"functions", "peers", "identities"};

static void write_time(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
}

/* Returns the counter's index, or the number of counters. */
static size_t counter(const char *name)
{
    size_t i = 0;
    while (i < tc_stats_count() && strcmp(tc_stats_name(i), name) != 0)
        i++;
    return i;
}

static uint64_t value_of(const watch_report *r, const char *name)
{
    const size_t i = counter(name);
    return i < r->sample->activity.head.counters ? r->sample->activity.counters[i] : 0;
}

static double rate_of(const watch_report *r, const char *name)
{
    const size_t i = counter(name);
    return i < r->sample->activity.head.counters ? r->rates->counters[i] : 0;
}

/* --- lines -------------------------------------------------------------------------------- */

static void print_line(FILE *out, const watch_report *r, const char *format, ...)
    TC_PRINTF(3, 4);

static void print_line(FILE *out, const watch_report *r, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (r->columns > 0 && size > 0 && (unsigned)size > r->columns && r->columns < sizeof line)
        line[r->columns] = '\0';
    fprintf(out, "%s\n", line);
}

static void print_head(FILE *out, const watch_report *r)
{
    char when[32];
    write_time(when);
    if (r->rates == NULL) {
        print_line(out, r, "%s at %s", r->peer, when);
        print_line(out, r, "now: %s", r->now);
        return;
    }
    const node_activity_head *head = &r->sample->activity.head;
    print_line(out, r, "%s at %s, answered in %.0f us", r->peer, when, r->answer_us);
    print_line(out, r, "now: no function runs for long");
    print_line(out, r,
               "messages: %" PRIu64 " run, %.1f/s; %" PRIu64 " dropped, %" PRIu64 " lost",
               value_of(r, "messages_run"), rate_of(r, "messages_run"),
               value_of(r, "messages_dropped"), value_of(r, "messages_lost"));
    print_line(out, r,
               "functions: %" PRIu64 " received, %" PRIu64 " refused; %" PRIu64
               " libraries, %" PRIu64 " packages",
               value_of(r, "code_received"), value_of(r, "code_refused"), head->libraries,
               head->packages);
    print_line(out, r,
               "endpoints: %" PRIu64 " opened, %.1f/s, %" PRIu64 " failed; %" PRIu64
               " calls above call_time_max%s",
               value_of(r, "endpoints_opened"), rate_of(r, "endpoints_opened"),
               value_of(r, "endpoints_failed"), value_of(r, "calls_long"),
               head->has_usage ? "" : "; option usage is off there");
}

/* Writes a time in at most 9 columns; "-" for 0. */
static const char *time_text(uint64_t ns, char text[16])
{
    if (ns == 0)
        return "-";
    const double us = (double)ns / 1e3;
    if (us < 1e3)
        (void)snprintf(text, 16, "%.1f us", us);
    else if (us < 1e6)
        (void)snprintf(text, 16, "%.1f ms", us / 1e3);
    else
        (void)snprintf(text, 16, "%.1f s", us / 1e6);
    return text;
}

/* Without a row these print the titles of its columns. */
static void print_function(FILE *out, const watch_report *r, const watch_row *row)
{
    if (row == NULL) {
        print_line(out, r, "%-26s %-8s %10s %12s %6s %9s %9s %12s %8s", "function", "id",
                   "calls/s", "bytes/s", "busy%", "p50", "p99", "calls", "refused");
        return;
    }
    const node_activity_entry *e = row->entry;
    char p50[16], p99[16], busy[16] = "-";
    if (e->timed > 0)
        (void)snprintf(busy, sizeof busy, "%.1f", 100 * row->busy);
    print_line(out, r,
               "  %-24.24s %02x%02x%02x%02x %10.1f %12.0f %6s %9s %9s %12" PRIu64 " %8" PRIu64,
               e->name, e->id[0], e->id[1], e->id[2], e->id[3], row->calls, row->bytes, busy,
               time_text(e->p50_ns, p50), time_text(e->p99_ns, p99), e->calls, e->refusals);
}

static void print_peer(FILE *out, const watch_report *r, const watch_row *row)
{
    if (row == NULL) {
        print_line(out, r, "%-26s %-20s %10s %12s %8s %12s %8s %8s", "peer", "identity",
                   "calls/s", "bytes/s", "turns/s", "calls", "full", "refused");
        return;
    }
    const node_activity_entry *e = row->entry;
    print_line(out, r,
               "  %-24.24s %-20.20s %10.1f %12.0f %8.1f %12" PRIu64 " %8" PRIu64 " %8" PRIu64,
               e->name, e->identity, row->calls, row->bytes, row->turns, e->calls,
               e->turns_full, e->refusals);
}

static void print_identity(FILE *out, const watch_report *r, const watch_row *row)
{
    if (row == NULL) {
        print_line(out, r, "%-47s %10s %12s %8s %12s %8s %8s", "identity", "calls/s", "bytes/s",
                   "turns/s", "calls", "peers", "refused");
        return;
    }
    const node_activity_entry *e = row->entry;
    print_line(out, r, "  %-45.45s %10.1f %12.0f %8.1f %12" PRIu64 " %8" PRIu32 " %8" PRIu64,
               *e->name != '\0' ? e->name : "(not proved)", row->calls, row->bytes, row->turns,
               e->calls, e->peers, e->refusals);
}

static void print_table(FILE *out, const watch_report *r, size_t kind, size_t rows_max)
{
    static void (*const print[NODE_ACTIVITY_KINDS])(
        FILE *, const watch_report *, const watch_row *) = {print_function, print_peer,
                                                            print_identity};
    const size_t count = r->rates->counts[kind];
    const uint64_t left_out = r->sample->activity.head.left_out[kind];
    if (count == 0 || rows_max < 2)
        return;
    print[kind](out, r, NULL);
    const size_t shown = count < rows_max - 1 ? count : rows_max - 1;
    for (size_t i = 0; i < shown; i++)
        print[kind](out, r, &r->rates->rows[kind][i]);
    if (count + left_out > shown && r->lines == 0)
        print_line(out, r, "  %" PRIu64 " more", count + left_out - shown);
}

/* Half of a screen is for functions, as far as there are so many, and the rest for peers, then
 * for identities. */
void watch_report_text(FILE *out, const watch_report *r)
{
    print_head(out, r);
    if (r->rates == NULL)
        return;
    size_t left = r->lines > HEAD_LINES ? r->lines - HEAD_LINES : 0;
    for (size_t kind = 0; kind < NODE_ACTIVITY_KINDS; kind++) {
        const size_t wanted = r->rates->counts[kind] + 1;
        const size_t part = kind + 1 < NODE_ACTIVITY_KINDS ? (left + 1) / 2 : left;
        const size_t most = r->lines == 0 ? ROWS_MAX + 1 : part;
        print_table(out, r, kind, most);
        left -= r->lines == 0 ? 0 : wanted < most ? wanted : most;
    }
}

/* --- JSON --------------------------------------------------------------------------------- */

static void print_row_json(FILE *out, const watch_row *row, double seconds)
{
    const node_activity_entry *e = row->entry;
    fputc('{', out);
    tool_json_member(out, "name", e->name);
    if (e->kind == 0) {
        fputs(", \"id\": \"", out);
        for (size_t i = 0; i < sizeof e->id; i++)
            fprintf(out, "%02x", e->id[i]);
        fprintf(out, "\", \"evictions\": %" PRIu64, e->evictions);
    } else {
        fputs(", ", out);
        tool_json_member(out, "identity", e->identity);
        fprintf(out,
                ", \"peer\": %" PRIu32 ", \"peers\": %" PRIu32 ", \"turns\": %" PRIu64
                ", \"turns_full\": %" PRIu64,
                e->peer, e->peers, e->turns, e->turns_full);
    }
    fprintf(out,
            ", \"other\": %s, \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64
            ", \"refusals\": %" PRIu64 ", \"timed\": %" PRIu64 ", \"time_ns\": %" PRIu64
            ", \"p50_ns\": %" PRIu64 ", \"p99_ns\": %" PRIu64,
            e->is_other ? "true" : "false", e->calls, e->bytes, e->refusals, e->timed,
            e->time_ns, e->p50_ns, e->p99_ns);
    if (seconds > 0)
        fprintf(out, ", \"calls_per_s\": %.3f, \"bytes_per_s\": %.3f, \"busy\": %.6f}",
                row->calls, row->bytes, row->busy);
    else
        fputs(", \"calls_per_s\": null, \"bytes_per_s\": null, \"busy\": null}", out);
}

static void print_counters_json(FILE *out, const watch_report *r)
{
    const uint64_t given = r->sample->activity.head.counters;
    const size_t count = given < tc_stats_count() ? (size_t)given : tc_stats_count();
    fputs(", \"counters\": {", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", tc_stats_name(i),
                r->sample->activity.counters[i]);
    fputs("}, \"per_second\": ", out);
    if (r->rates->seconds <= 0) {
        fputs("null", out);
        return;
    }
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\"%s\": %.3f", i > 0 ? ", " : "{", tc_stats_name(i),
                r->rates->counters[i]);
    fputs("}", out);
}

void watch_report_json(FILE *out, const watch_report *r)
{
    char when[32];
    write_time(when);
    fputc('{', out);
    tool_json_member(out, "peer", r->peer);
    fputs(", ", out);
    tool_json_member(out, "time", when);
    if (r->rates == NULL) {
        fputs(", \"answer_us\": null, ", out);
        tool_json_member(out, "now", r->now);
        fputs("}\n", out);
        return;
    }
    const node_activity_head *head = &r->sample->activity.head;
    fprintf(out,
            ", \"answer_us\": %.1f, \"now\": null, \"seconds\": %.6f, \"libraries\": %" PRIu64
            ", \"packages\": %" PRIu64 ", \"usage\": %s",
            r->answer_us, r->rates->seconds, head->libraries, head->packages,
            head->has_usage ? "true" : "false");
    print_counters_json(out, r);
    for (size_t kind = 0; kind < NODE_ACTIVITY_KINDS; kind++) {
        fprintf(out, ", \"%s\": [", kinds[kind]);
        for (size_t i = 0; i < r->rates->counts[kind]; i++) {
            fputs(i > 0 ? ", " : "", out);
            print_row_json(out, &r->rates->rows[kind][i], r->rates->seconds);
        }
        fprintf(out, "], \"%s_left_out\": %" PRIu64, kinds[kind], head->left_out[kind]);
    }
    fputs("}\n", out);
}
