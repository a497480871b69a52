/* Counts k-mers in a table that the ranks hold in parts, by active messages and by MPI.
 *
 *   mpirun -n RANKS kmer_run [options]     all versions
 *   tc-run -n RANKS kmer_run [options]     those without MPI
 *
 * All versions take turns: in each round each runs with each size of batches. They share the
 * loop over letters, the batches and the code of the table, and differ in how a batch reaches
 * its owner. A run begins and ends with a barrier of the group, and rank 0's clock runs from
 * one to the other.
 *
 * Before that, each rank counts all letters alone. After each run it compares its part of the
 * table with its own words and counts, by a sum over both. The counts of
 * generated reads are known beforehand, too: those of the genome, times the passes. */
#include "kmer_am.h"
#include "kmer_function.h"
#include "kmer_report.h"

#include "perf_clock.h"
#include "perf_value.h"
#include "rank_machine.h"
#include "tool_options.h"
#include "tool_status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_NUMBER(row_name, row_letter, member, least, most, row_help)                        \
    {                                                                                          \
        .name = row_name, .letter = row_letter, .kind = TOOL_NUMBER, .value = "N",             \
        .help = row_help, .offset = offsetof(kmer_options, member), .min = least, .max = most  \
    }
#define ROW_FILE(row_name, row_letter, member, row_help)                                       \
    {                                                                                          \
        .name = row_name, .letter = row_letter, .kind = TOOL_TEXT, .value = "FILE",            \
        .help = row_help, .offset = offsetof(kmer_options, member)                             \
    }

static const tool_option rows[] = {
    ROW_NUMBER("length", 'k', length, 3, KMER_LENGTH_MAX, "of a k-mer (21)"),
    ROW_NUMBER("genome", 'g', genome, 100, 1u << 30, "letters of the genome (1000000)"),
    ROW_NUMBER("passes", 'p', passes, 1, 1000, "of reads over the genome (4)"),
    ROW_NUMBER("seed", 0, seed, 0, UINT32_MAX, "of the genome and its reads (1)"),
    ROW_NUMBER("rounds", 'r', rounds, 1, KMER_ROUNDS_MAX, "of all versions (20)"),
    ROW_FILE("fasta", 0, fasta, "count the sequences of a file"),
    ROW_FILE("text", 0, text, "count a file's letters, mapped to bases"),
    ROW_FILE("write", 0, write_path, "write the reads as FASTA"),
    {.name = "batches",
     .letter = 'b',
     .kind = TOOL_TEXT,
     .value = "N,N",
     .help = "k-mers of a message (1,8,64,512,4096)",
     .offset = offsetof(kmer_options, batches)},
    {.name = "versions",
     .kind = TOOL_NAMES,
     .value = "NAMES",
     .help = "that take turns (all)",
     .offset = offsetof(kmer_options, versions),
     .words = KMER_VERSION_NAMES},
    {.name = "unpinned",
     .kind = TOOL_FLAG,
     .help = "ranks may change their processor",
     .offset = offsetof(kmer_options, unpinned)},
    ROW_FILE("json", 'j', json_path, "the figures"),
};

static const tool_command command = {
    .name = "kmer_run",
    .usage = "[options], started by mpirun -n RANKS or tc-run -n RANKS",
    .about =
        "Measures k-mers counted in a table that ranks hold in parts: by active messages,\n"
        "in mapped tables and by MPI.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

/* A run of all versions at one rank. */
typedef struct kmer_run {
    kmer_options options;
    kmer_rank rank;
    kmer_reads reads;
    kmer_sum expected[KMER_RANKS_MAX]; /* of each owner, counted by one process */
    kmer_report report;
} kmer_run;

static bool fail(const char *text)
{
    fprintf(stderr, "kmer: %s\n", text);
    return false;
}

/* --- one process ------------------------------------------------------------------------- */

static bool create_table(uint64_t words, kmer_table *table_out)
{
    const uint64_t slots = kmer_table_slots(words);
    *table_out = (kmer_table){calloc(slots, sizeof(kmer_slot)), slots - 1};
    return table_out->slots != NULL || fail("no memory");
}

/* Counts letters in this process alone. */
static bool count_alone(const char *letters, uint64_t size, uint64_t words, uint64_t times,
                        const kmer_rank *r, kmer_sum *sums)
{
    kmer_table table;
    if (!create_table(words, &table))
        return false;
    const bool ok = kmer_rank_count(letters, size, r->length, table);
    kmer_table_sum(table, times, r->ranks, sums);
    free(table.slots);
    return ok || fail("the table of one process is full");
}

/* All letters, and for generated ones the answer that is known. */
static bool expect(kmer_run *run)
{
    const kmer_reads *reads = &run->reads;
    const uint64_t words = reads->genome != NULL ? reads->genome_size : reads->size;
    static kmer_sum known[KMER_RANKS_MAX];
    if (!count_alone(reads->letters, reads->size, words, 1, &run->rank, run->expected))
        return false;
    if (reads->genome == NULL)
        return true;
    if (!count_alone(reads->genome, reads->genome_size, words, reads->passes, &run->rank,
                     known))
        return false;
    for (uint32_t owner = 0; owner < run->rank.ranks; owner++) {
        if (!kmer_sum_equals(&known[owner], &run->expected[owner]))
            return fail("the reads do not have the k-mers of their genome");
    }
    return true;
}

/* --- rounds ------------------------------------------------------------------------------ */

static void clear(kmer_table table)
{
    if (table.slots != NULL)
        memset(table.slots, 0, (table.mask + 1) * sizeof *table.slots);
}

/* Compares this rank's part, or the table that rank 0 filled alone, with the expected words. */
static bool compare(const kmer_run *run, unsigned version)
{
    const kmer_rank *r = &run->rank;
    static kmer_sum found[KMER_RANKS_MAX];
    const bool is_serial = kmer_versions[version].way == KMER_SERIAL;
    memset(found, 0, sizeof found);
    if (!is_serial || r->rank == 0)
        kmer_table_sum(is_serial ? r->whole : r->table, 1, r->ranks, found);
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        const bool is_here = is_serial ? r->rank == 0 : owner == r->rank;
        static const kmer_sum nothing;
        if (kmer_sum_equals(&found[owner], is_here ? &run->expected[owner] : &nothing))
            continue;
        fprintf(stderr, "kmer: %s: rank %u has %llu k-mers of rank %u, expected %llu\n",
                kmer_versions[version].name, r->rank, (unsigned long long)found[owner].total,
                owner, (unsigned long long)(is_here ? run->expected[owner].total : 0));
        return false;
    }
    return true;
}

static bool run_version(kmer_run *run, unsigned version, double *ns_out, bool *mapped_out)
{
    kmer_rank *r = &run->rank;
    const uint64_t here = kmer_am_here(r);
    clear(r->table);
    clear(r->whole);
    if (!kmer_rank_barrier(r))
        return false;
    const uint64_t begin_ns = perf_now_ns();
    if (!kmer_versions[version].run(r) || !kmer_rank_barrier(r))
        return false;
    *ns_out = (double)(perf_now_ns() - begin_ns);
    *mapped_out = kmer_am_here(r) != here;
    return compare(run, version) && kmer_rank_barrier(r);
}

/* All versions with batches of each size. */
static bool run_round(kmer_run *run, uint64_t round)
{
    kmer_report *report = &run->report;
    for (unsigned batch = 0; batch < report->batch_count; batch++) {
        run->rank.batch = (uint32_t)report->batches[batch];
        for (unsigned version = 0; version < KMER_VERSIONS; version++) {
            kmer_series *series = &report->series[version][batch];
            if (series->is_run &&
                !run_version(run, version, &series->elapsed_ns[round], &series->is_mapped))
                return false;
        }
    }
    return true;
}

static bool choose_series(kmer_run *run)
{
    kmer_report *report = &run->report;
    const kmer_options *o = &run->options;
    if (!perf_value_list(o->batches, 1, KMER_BATCH_MAX, report->batches, KMER_BATCHES_MAX,
                         &report->batch_count)) {
        fprintf(stderr, "kmer: --batches %s: expected up to %u numbers of 1 to %u\n",
                o->batches, KMER_BATCHES_MAX, KMER_BATCH_MAX);
        return false;
    }
    for (unsigned version = 0; version < KMER_VERSIONS; version++) {
        const kmer_way way = kmer_versions[version].way;
        const unsigned count = way == KMER_SERIAL ? 1 : report->batch_count;
        for (unsigned batch = 0; batch < count; batch++)
            report->series[version][batch].is_run =
                perf_value_lists(o->versions, ',', kmer_versions[version].name) &&
                kmer_report_missing(version) == NULL;
    }
    return true;
}

static bool run_rounds(kmer_run *run)
{
    if (!choose_series(run))
        return false;
    rank_machine_load(run->report.load_before, sizeof run->report.load_before);
    if (!run_round(run, 0)) /* the first messages connect */
        return false;
    for (uint64_t round = 0; round < run->options.rounds; round++) {
        if (!run_round(run, round))
            return false;
    }
    rank_machine_load(run->report.load_after, sizeof run->report.load_after);
    return true;
}

/* --- a rank ------------------------------------------------------------------------------ */

static bool read_letters(kmer_run *run)
{
    const kmer_options *o = &run->options;
    const kmer_reads_params params = {.genome = o->genome,
                                      .passes = o->passes,
                                      .seed = o->seed,
                                      .length = (uint32_t)o->length,
                                      .fasta = o->fasta,
                                      .text = o->text};
    kmer_rank *r = &run->rank;
    if (!kmer_reads_create(&params, &run->reads))
        return false;
    kmer_reads_part(&run->reads, r->length, r->rank, r->ranks, &r->letters, &r->size);
    if (r->rank != 0)
        return true;
    r->all = run->reads.letters;
    r->all_size = run->reads.size;
    return o->write_path == NULL || kmer_reads_write(&run->reads, o->write_path);
}

/* Tables of equal size, for the owner of the most words. */
static bool create_tables(kmer_run *run)
{
    kmer_rank *r = &run->rank;
    uint64_t most = 0;
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        const kmer_sum *sum = &run->expected[owner];
        most = sum->distinct > most ? sum->distinct : most;
        kmer_sum_add(&run->report.all, sum);
    }
    return (r->rank != 0 || create_table(run->report.all.distinct, &r->whole)) &&
           kmer_am_open(r, kmer_table_slots(most)) && kmer_function_open(r) &&
           kmer_rank_create_lanes(r);
}

static bool run_rank(kmer_run *run, tc_context *ctx, tc_group *group)
{
    kmer_rank *r = &run->rank;
    r->ctx = ctx;
    r->group = group;
    r->rank = tc_group_rank(group);
    r->ranks = tc_group_size(group);
    r->length = (uint32_t)run->options.length;
    if (r->ranks > KMER_RANKS_MAX) {
        fprintf(stderr, "kmer: %u ranks, expected at most %u\n", r->ranks, KMER_RANKS_MAX);
        return false;
    }
    if (!run->options.unpinned)
        (void)rank_machine_pin(r->rank, 1);
    bool ok = read_letters(run) && expect(run) && create_tables(run) && run_rounds(run);
    if (ok && r->rank == 0)
        ok = kmer_report_write(&run->report);
    ok = ok && kmer_rank_barrier(r);
    ok = kmer_am_close(r) && ok;
    kmer_rank_destroy_lanes(r);
    free(r->whole.slots);
    kmer_reads_destroy(&run->reads);
    return ok;
}

int main(int argc, char **argv)
{
    kmer_run *run = calloc(1, sizeof *run);
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    if (run == NULL)
        return TOOL_FAILED;
    run->options = (kmer_options){.length = 21,
                                  .genome = 1000000,
                                  .passes = 4,
                                  .seed = 1,
                                  .rounds = 20,
                                  .batches = "1,8,64,512,4096",
                                  .versions = KMER_VERSION_NAMES};
    const int parsed = tool_options_parse(&command, argc, argv, &run->options);
    if (parsed != TOOL_GO_ON) {
        free(run);
        return parsed;
    }
    run->report.options = &run->options;
    run->report.rank = &run->rank;
    perf_clock_init();
    const bool ok = kmer_rank_check(tc_context_create(NULL, &ctx, &err), &err, "context") &&
                    kmer_mpi_join(ctx, &argc, &argv, &group) && run_rank(run, ctx, group);
    tc_context_destroy(ctx);
    if (ok)
        kmer_mpi_leave();
    free(run);
    return ok ? TOOL_OK : TOOL_FAILED;
}
