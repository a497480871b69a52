#include "kmer_report.h"

#include "perf_experiment.h"
#include "perf_report.h"
#include "perf_stats.h"
#include "perf_value.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ways[] = {"serial", "mpi", "function", "am"};

/* Nanoseconds for each k-mer of all ranks. Ratios are of least times: other programs lengthen
 * a run and do not shorten it. */
typedef struct figure {
    double least;
    double median;
} figure;

const char *kmer_report_missing(unsigned version)
{
    return kmer_versions[version].way == KMER_MPI ? kmer_mpi_missing() : NULL;
}

static bool is_chosen(const kmer_report *report, unsigned version)
{
    return perf_value_lists(report->options->versions, ',', kmer_versions[version].name);
}

static figure figure_of(const kmer_report *report, unsigned version, unsigned batch)
{
    double sorted[KMER_ROUNDS_MAX];
    const double kmers = (double)report->all.total;
    memcpy(sorted, report->series[version][batch].elapsed_ns,
           report->options->rounds * sizeof *sorted);
    const double median = perf_stats_median(sorted, report->options->rounds);
    return (figure){sorted[0] / kmers, median / kmers};
}

/* The least time of all versions of MPI with batches of a size; `batch` is batch_count: of any
 * size. 0: MPI did not run. */
static figure best_of_mpi(const kmer_report *report, unsigned batch)
{
    figure best = {0, 0};
    for (unsigned n = 0; n < KMER_VERSIONS * KMER_BATCHES_MAX; n++) {
        const unsigned version = n / KMER_BATCHES_MAX, i = n % KMER_BATCHES_MAX;
        if (kmer_versions[version].way != KMER_MPI || !report->series[version][i].is_run ||
            (batch < report->batch_count && i != batch))
            continue;
        const figure one = figure_of(report, version, i);
        if (best.least == 0 || one.least < best.least)
            best.least = one.least;
        if (best.median == 0 || one.median < best.median)
            best.median = one.median;
    }
    return best;
}

/* --- the table --------------------------------------------------------------------------- */

static void print_head(const kmer_report *report)
{
    const kmer_options *o = report->options;
    const char *source = o->fasta != NULL ? o->fasta : o->text != NULL ? o->text : "generated";
    printf("kmer: %llu %llu-mers (%llu of them different) of %s letters, counted by %u ranks, "
           "%llu rounds\n",
           (unsigned long long)report->all.total, (unsigned long long)o->length,
           (unsigned long long)report->all.distinct, source, report->rank->ranks,
           (unsigned long long)o->rounds);
    printf("load %s before, %s after\n", report->load_before, report->load_after);
    if (*kmer_mpi_library() != '\0')
        printf("%s\n", kmer_mpi_library());
    printf("\n%-15s%8s%12s%12s%16s%16s\n", "", "", "least", "median", "MPI, same batch",
           "MPI, best batch");
    printf("%-15s%8s%12s%12s%16s%16s\n", "version", "batch", "ns/k-mer", "ns/k-mer",
           "times as fast", "times as fast");
}

static void print_ratio(double mpi, double own)
{
    if (mpi > 0)
        printf("%16.2f", mpi / own);
    else
        printf("%16s", "-");
}

static void print_series(const kmer_report *report, unsigned version, unsigned batch)
{
    const figure own = figure_of(report, version, batch);
    const bool is_serial = kmer_versions[version].way == KMER_SERIAL;
    char size[24] = "-";
    if (!is_serial)
        (void)snprintf(size, sizeof size, "%llu", (unsigned long long)report->batches[batch]);
    printf("%-15s%8s%12.2f%12.2f", kmer_versions[version].name, size, own.least, own.median);
    print_ratio(is_serial ? 0 : best_of_mpi(report, batch).least, own.least);
    print_ratio(best_of_mpi(report, report->batch_count).least, own.least);
    printf("%s\n", report->series[version][batch].is_mapped ? "  mapped" : "");
}

static void print_table(const kmer_report *report)
{
    print_head(report);
    for (unsigned version = 0; version < KMER_VERSIONS; version++) {
        const char *missing = kmer_report_missing(version);
        if (is_chosen(report, version) && missing != NULL)
            printf("%-15snot run: %s\n", kmer_versions[version].name, missing);
        for (unsigned batch = 0; batch < report->batch_count; batch++) {
            if (report->series[version][batch].is_run)
                print_series(report, version, batch);
        }
    }
    printf("\nall counts are those of one process, k-mer by k-mer\n");
}

/* --- JSON -------------------------------------------------------------------------------- */

static void add_row(json_t *rows, const kmer_report *report, unsigned version, unsigned batch)
{
    const figure own = figure_of(report, version, batch);
    const double same = best_of_mpi(report, batch).least;
    const double best = best_of_mpi(report, report->batch_count).least;
    const bool is_serial = kmer_versions[version].way == KMER_SERIAL;
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:I, s:o, s:o, s:b, s:b}", "version", kmer_versions[version].name,
        "way", ways[kmer_versions[version].way], "transport", "shared memory", "batch",
        is_serial ? (json_int_t)0 : (json_int_t)report->batches[batch], "kmer_ns",
        perf_report_number(own.least), "kmer_ns_median", perf_report_number(own.median),
        "mapped", report->series[version][batch].is_mapped, "verified", 1);
    if (same > 0 && !is_serial)
        (void)json_object_set_new(row, "times_mpi_of_batch",
                                  perf_report_number(same / own.least));
    if (best > 0)
        (void)json_object_set_new(row, "times_best_mpi", perf_report_number(best / own.least));
    (void)json_array_append_new(rows, row);
}

static json_t *histogram_json(const kmer_sum *sum)
{
    json_t *histogram = json_object();
    char name[16];
    for (unsigned count = 1; count < KMER_HISTOGRAM; count++) {
        if (sum->histogram[count] == 0)
            continue;
        (void)snprintf(name, sizeof name, count + 1 < KMER_HISTOGRAM ? "%u" : "%u..", count);
        (void)json_object_set_new(histogram, name,
                                  json_integer((json_int_t)sum->histogram[count]));
    }
    return histogram;
}

static json_t *options_json(const kmer_report *report)
{
    const kmer_options *o = report->options;
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:o}", "ranks",
        (json_int_t)report->rank->ranks, "length", (json_int_t)o->length, "genome",
        (json_int_t)o->genome, "passes", (json_int_t)o->passes, "repetitions",
        (json_int_t)o->rounds, "fasta", o->fasta != NULL ? o->fasta : "", "text",
        o->text != NULL ? o->text : "", "mpi", kmer_mpi_library(), "load_before",
        report->load_before, "load_after", report->load_after, "pinned", !o->unpinned, "kmers",
        (json_int_t)report->all.total, "distinct", (json_int_t)report->all.distinct,
        "histogram", histogram_json(&report->all));
}

static json_t *json_of(const kmer_report *report)
{
    static const perf_experiment experiment = {.name = "kmer", .options = ""};
    const perf_options none = {.experiment = &experiment};
    json_t *json = perf_report_create(&none), *rows = json_array(), *skipped = json_object();
    for (unsigned version = 0; version < KMER_VERSIONS; version++) {
        const char *missing = kmer_report_missing(version);
        if (is_chosen(report, version) && missing != NULL)
            (void)json_object_set_new(skipped, kmer_versions[version].name,
                                      json_string(missing));
        for (unsigned batch = 0; batch < report->batch_count; batch++) {
            if (report->series[version][batch].is_run)
                add_row(rows, report, version, batch);
        }
    }
    (void)json_object_set_new(json, "program", json_string("kmer_run"));
    (void)json_object_set_new(json_object_get(json, "env"), "options", options_json(report));
    (void)json_object_set_new(json, "rows", rows);
    (void)json_object_set_new(json, "skipped", skipped);
    return json;
}

static bool write_json(const kmer_report *report)
{
    const char *path = report->options->json_path;
    json_t *json = json_of(report);
    const bool ok = json_dump_file(json, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    if (!ok)
        fprintf(stderr, "kmer: %s: %s\n", path, strerror(errno));
    json_decref(json);
    return ok;
}

bool kmer_report_write(kmer_report *report)
{
    print_table(report);
    return report->options->json_path == NULL || write_json(report);
}
