#include "gam_report.h"

#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_US 1e3
#define NS_PER_S 1e9
#define RATIO_NAME_SIZE 160u

/* --- figures ----------------------------------------------------------------------------- */

/* Segments of all messages of one origin. */
static double segments_of(const gam_case *c)
{
    double segments = 0;
    for (uint32_t n = 0; n < c->messages; n++)
        segments += gam_case_segments(c, n);
    return segments;
}

/* Figures of the rounds, and the least time; times are divided by `by`. */
static perf_spread spread_of(const gam_report *report, const gam_case *c, double by,
                             double *least_out)
{
    double sorted[GAM_ROUNDS_MAX];
    const size_t rounds = report->options->rounds;
    for (size_t i = 0; i < rounds; i++)
        sorted[i] = c->ns[i] / by;
    const perf_spread spread = perf_stats_spread(sorted, rounds);
    *least_out = sorted[0];
    return spread;
}

/* Medians of each round's ratio of the times of a segment, and the ratio of the least times. */
static perf_spread ratio_of(const gam_report *report, const gam_case *over,
                            const gam_case *under, double *least_out)
{
    double ratios[GAM_ROUNDS_MAX], least_over, least_under;
    const double a = segments_of(over), b = segments_of(under);
    for (size_t i = 0; i < report->options->rounds; i++)
        ratios[i] = over->ns[i] / a / (under->ns[i] / b);
    (void)spread_of(report, over, a, &least_over);
    (void)spread_of(report, under, b, &least_under);
    *least_out = least_over / least_under;
    return perf_stats_spread(ratios, report->options->rounds);
}

/* Pairs of one part and operation that differ in their way, or in the segments of a message. */
static bool are_compared(const gam_case *over, const gam_case *under)
{
    return over != under && over->part == under->part &&
           (strcmp(over->part, "single") == 0 || strcmp(over->part, "hundred") == 0 ||
            strcmp(over->part, "rate") == 0) &&
           over->operation == under->operation && over->x == under->x &&
           over->way->kind == GAM_ACTIVE && under->way->kind != GAM_ACTIVE &&
           under->way->kind != GAM_LOCAL;
}

static void name_ratio(const gam_case *over, const gam_case *under, char *name, size_t size)
{
    (void)snprintf(name, size, "%s_%s_%u_%s-%u_to_%s-%u", over->part,
                   gam_operation_names[over->operation], gam_case_in(over), over->way->name,
                   over->segments, under->way->name, under->segments);
}

static double word_ns(const gam_report *report)
{
    double words[GAM_ROUNDS_MAX];
    memcpy(words, report->word_ns, report->options->rounds * sizeof *words);
    return perf_stats_median(words, report->options->rounds);
}

/* --- the table --------------------------------------------------------------------------- */

static void print_case(const gam_report *report, const gam_case *c)
{
    double least_us;
    const double ns = NS_PER_US * c->messages;
    const perf_spread us = spread_of(report, c, ns, &least_us);
    const double rate = segments_of(c) * c->origins * NS_PER_S / (us.median * ns);
    printf("%-9s%-11s%-22s%8u%6u%9u%8u%4u%12.2f%12.2f%15.0f  %s\n", c->part,
           gam_operation_names[c->operation], c->way->name, gam_case_in(c), c->segments,
           c->messages, c->x, c->origins, us.median, least_us, rate,
           c->is_wrong                        ? "WRONG"
           : c->unordered != 0                ? "verified, unordered"
           : strcmp(c->part, "ordering") == 0 ? "verified, ordered"
           : strcmp(c->part, "origins") == 0  ? (c->credit < GAM_CREDIT_BYTES   ? "verified, 8K"
                                                 : c->credit > GAM_CREDIT_BYTES ? "verified, 1M"
                                                                                : "verified")
           : strcmp(c->way->name, "function") ? "verified"
                                              : "local");
}

static void print_table(const gam_report *report)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    printf("am: %u ranks on %ld processors, %s; rank 0 is the target; %llu rounds; load %s "
           "before, %s after%s\n",
           report->ranks, cpus, report->is_pinned ? "rank n pinned to the n-th" : "not pinned",
           (unsigned long long)report->options->rounds, report->load_before, report->load_after,
           strtod(report->load_before, NULL) > (double)cpus / 2 ? ": a busy machine" : "");
    printf("delivery %s; sums by %s; a word takes %.0f ns from one rank to the other\n",
           report->delivery, report->vectors, word_ns(report));
    if (*report->library != '\0')
        printf("%s\n", report->library);
    printf("\n%-9s%-11s%-22s%8s%6s%9s%8s%4s%12s%12s%15s\n", "part", "operation", "way", "bytes",
           "segs", "messages", "x", "by", "us/message", "least", "segments/s");
    for (unsigned i = 0; i < report->plan->count; i++)
        print_case(report, &report->plan->cases[i]);
    printf("\nratios of the time of a segment: median of rounds, of least times\n");
    for (unsigned i = 0; i < report->plan->count; i++) {
        for (unsigned k = 0; k < report->plan->count; k++) {
            const gam_case *over = &report->plan->cases[i], *under = &report->plan->cases[k];
            char name[RATIO_NAME_SIZE];
            double least;
            if (!are_compared(over, under))
                continue;
            const perf_spread ratio = ratio_of(report, over, under, &least);
            name_ratio(over, under, name, sizeof name);
            printf("%-72s%9.3f%9.3f\n", name, ratio.median, least);
        }
    }
}

/* --- JSON -------------------------------------------------------------------------------- */

static json_t *row_of(const gam_report *report, const gam_case *c)
{
    double least;
    const perf_spread ns = spread_of(report, c, c->messages, &least);
    const double segments = segments_of(c) * c->origins;
    json_t *row =
        json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:I}", "part",
                  c->part, "operation", gam_operation_names[c->operation], "way", c->way->name,
                  "awaited", (int)c->is_awaited, "segment_bytes", (json_int_t)gam_case_in(c),
                  "segments", (json_int_t)c->segments, "unit", (json_int_t)c->unit, "messages",
                  (json_int_t)c->messages, "credit_bytes",
                  (json_int_t)(c->credit > 0 ? c->credit : GAM_CREDIT_BYTES), "origins",
                  (json_int_t)c->origins, "order", c->unordered != 0 ? "none" : "strict", "x",
                  (json_int_t)c->x);
    perf_report_spread(row, "ns", ns, 1);
    (void)json_object_set_new(row, "least_ns", perf_report_number(least));
    const perf_spread rate = {segments * NS_PER_S / (ns.three_quarters * c->messages),
                              segments * NS_PER_S / (ns.median * c->messages),
                              segments * NS_PER_S / (ns.quarter * c->messages)};
    perf_report_spread(row, "segments_per_s", rate, 1);
    if (c->way->kind == GAM_ACTIVE && c->units_sent > 0)
        (void)json_object_set_new(
            row, "waited_percent",
            perf_report_number(100.0 * (double)c->waited /
                               (double)(c->messages * report->options->rounds)));
    (void)json_object_set_new(row, "verified", json_boolean(!c->is_wrong));
    return row;
}

static json_t *ratios_of(const gam_report *report)
{
    json_t *ratios = json_object();
    const unsigned count = report->plan->count;
    for (unsigned n = 0; n < count * count; n++) {
        const gam_case *over = &report->plan->cases[n / count];
        const gam_case *under = &report->plan->cases[n % count];
        char name[RATIO_NAME_SIZE];
        double least;
        if (!are_compared(over, under))
            continue;
        name_ratio(over, under, name, sizeof name);
        json_t *one = json_object();
        perf_report_spread(one, "ratio", ratio_of(report, over, under, &least), 1);
        (void)json_object_set_new(one, "ratio_of_least", perf_report_number(least));
        (void)json_object_set_new(ratios, name, one);
    }
    return ratios;
}

static json_t *json_of(const gam_report *report)
{
    static const perf_experiment experiment = {.name = "am", .options = ""};
    const perf_options none = {.experiment = &experiment};
    const gam_options *o = report->options;
    json_t *json = perf_report_create(&none), *rows = json_array();
    for (unsigned i = 0; i < report->plan->count; i++)
        (void)json_array_append_new(rows, row_of(report, &report->plan->cases[i]));
    (void)json_object_set_new(json, "program", json_string(report->program));
    (void)json_object_set_new(
        json_object_get(json, "env"), "options",
        json_pack("{s:I, s:I, s:I, s:I, s:s, s:b, s:s, s:[s], s:o, s:s, s:s, s:s?}", "ranks",
                  (json_int_t)report->ranks, "messages", (json_int_t)o->messages, "awaited",
                  (json_int_t)o->awaited, "rounds", (json_int_t)o->rounds, "mpi",
                  report->library, "pinned", (int)report->is_pinned, "vectors", report->vectors,
                  "delivery", report->delivery, "word_ns", perf_report_number(word_ns(report)),
                  "load_before", report->load_before, "load_after", report->load_after, "tls",
                  getenv("UCX_TLS")));
    (void)json_object_set_new(json, "rows", rows);
    (void)json_object_set_new(json, "ratios", ratios_of(report));
    return json;
}

static bool write_json(const gam_report *report)
{
    const char *path = report->options->json_path;
    json_t *json = json_of(report);
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(9);
    const bool ok = strcmp(path, "-") == 0 ? json_dumpf(json, stdout, flags) == 0
                                           : json_dump_file(json, path, flags) == 0;
    if (!ok)
        fprintf(stderr, "am: %s: %s\n", path, strerror(errno));
    json_decref(json);
    return ok;
}

bool gam_report_write(gam_report *report)
{
    if (!report->options->quiet)
        print_table(report);
    (void)fflush(stdout);
    return report->options->json_path == NULL || write_json(report);
}
