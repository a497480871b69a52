/* Task Bench, after the paper of that name (SC20): task graphs with tasks that shrink until
 * the runtime, not the kernel, takes half of the time.
 *
 *   mpirun -n RANKS metg_run [options]     all versions
 *   tc-run -n RANKS metg_run [options]     those without MPI
 *
 * All versions take turns: in each round each runs each graph with each number of
 * iterations of the kernel. They share the loop over steps and tasks (metg_steps.h), the
 * kernel and the inbox, and differ in how outputs reach another rank. A run begins and ends
 * with a barrier of the group, and rank 0's clock runs from one to the other. Then every
 * rank compares its last outputs with those that one process has computed, and every task
 * has checked where each of its inputs came from.
 *
 * Other programs may take a processor away at any time, which lengthens a run of half a
 * millisecond by several. So the figures are those of the least time of all rounds, and
 * medians stand beside them. */
#include "metg_report.h"

#include "perf_clock.h"
#include "perf_context.h"
#include "perf_value.h"
#include "rank_machine.h"
#include "tool_options.h"
#include "tool_status.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH_MAX 1024u
#define BYTES_MAX 65536u
#define STEPS_MAX 1000000u
#define STEPS_LEAST 20u
#define RUN_NS 2e6     /* of a run with large tasks, about: they take fewer steps */
#define STEP_NS 1000.0 /* of a step beside its kernels, at most about */
#define SEED 0x7461736b62656e63u

static const tool_option rows[] = {
    {.name = "width",
     .letter = 'w',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "points, a multiple of the ranks (8)",
     .offset = offsetof(metg_options, width),
     .min = 2,
     .max = WIDTH_MAX},
    {.name = "bytes",
     .letter = 'b',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of a task's output, a multiple of 8 (16)",
     .offset = offsetof(metg_options, bytes),
     .min = sizeof(metg_output),
     .max = BYTES_MAX},
    {.name = "steps",
     .letter = 's',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of a run with small tasks (1000)",
     .offset = offsetof(metg_options, steps),
     .min = 1,
     .max = STEPS_MAX},
    {.name = "iterations",
     .letter = 'i',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of the kernel in the largest tasks (4096)",
     .offset = offsetof(metg_options, iterations),
     .min = 1,
     .max = 1u << 20},
    {.name = "rounds",
     .letter = 'r',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of all versions (20)",
     .offset = offsetof(metg_options, rounds),
     .min = 1,
     .max = METG_ROUNDS_MAX},
    {.name = "patterns",
     .kind = TOOL_NAMES,
     .value = "NAMES",
     .help = "of dependences (all)",
     .offset = offsetof(metg_options, patterns),
     .words = METG_PATTERN_NAMES},
    {.name = "versions",
     .kind = TOOL_NAMES,
     .value = "NAMES",
     .help = "that take turns (all)",
     .offset = offsetof(metg_options, versions),
     .words = METG_VERSION_NAMES},
    {.name = "unpinned",
     .kind = TOOL_FLAG,
     .help = "ranks may change their processor",
     .offset = offsetof(metg_options, unpinned)},
    {.name = "json",
     .letter = 'j',
     .kind = TOOL_TEXT,
     .value = "FILE",
     .help = "the figures",
     .offset = offsetof(metg_options, json_path)},
};

static const tool_command command = {
    .name = "metg_run",
    .usage = "[options], started by mpirun -n RANKS or tc-run -n RANKS",
    .about = "Measures task graphs after Task Bench: the smallest tasks at which half of the\n"
             "processors' rate is reached, METG(50%), by MPI, functions and mapped windows.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

/* A run of all versions at one rank. */
typedef struct metg_run {
    metg_options options;
    metg_rank rank;
    metg_report report;
    metg_graph graphs[METG_PATTERNS];
    uint64_t *expected; /* sums of one process, of all points */
} metg_run;

/* --- rounds ------------------------------------------------------------------------------ */

static bool run_version(metg_run *run, const metg_graph *graph, unsigned i, size_t point,
                        uint64_t seed, double *ns_out)
{
    metg_rank *r = &run->rank;
    metg_report *report = &run->report;
    const uint64_t wrong = metg_rank_wrong(r);
    metg_rank_begin(r, graph, report->steps[point], report->iterations[point], seed);
    if (!metg_rank_barrier(r))
        return false;
    const uint64_t begin_ns = perf_now_ns();
    if (!metg_versions[i].run(r) || !metg_rank_barrier(r))
        return false;
    *ns_out = (double)(perf_now_ns() - begin_ns);
    if (!metg_rank_compare(r, run->expected) || !metg_rank_barrier(r))
        return false;
    metg_series *series = &report->series[graph->params.pattern][i];
    series->is_wrong = series->is_wrong || metg_rank_wrong(r) != wrong;
    return true;
}

/* All versions of one graph and size, so that they are neighbours in time. */
static bool run_point(metg_run *run, unsigned pattern, size_t point, uint64_t round)
{
    metg_report *report = &run->report;
    const metg_graph *graph = &run->graphs[pattern];
    const uint64_t seed = SEED + round * METG_POINTS_MAX + point;
    if (!metg_graph_expect(&graph->params, seed, report->steps[point],
                           report->iterations[point], run->expected)) {
        fprintf(stderr, "metg: no memory\n");
        return false;
    }
    for (unsigned i = 0; i < METG_VERSIONS; i++) {
        metg_series *series = &report->series[pattern][i];
        if (series->is_run &&
            !run_version(run, graph, i, point, seed, &series->elapsed_ns[point][round]))
            return false;
    }
    return true;
}

static bool run_round(metg_run *run, uint64_t round)
{
    metg_report *report = &run->report;
    if (!metg_rank_barrier(&run->rank))
        return false;
    const double ns = metg_kernel_measure();
    if (report->iteration_ns <= 0 || ns < report->iteration_ns)
        report->iteration_ns = ns;
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++) {
        for (size_t point = 0; point < report->point_count; point++) {
            if (!run_point(run, pattern, point, round))
                return false;
        }
    }
    return metg_rank_measure_word(&run->rank, &report->word_ns[round]);
}

/* --- sizes ------------------------------------------------------------------------------- */

/* About two for each power of two, and one. Large tasks take fewer steps. All ranks come to the
 * same numbers: those of rank 0's time per iteration. */
static void choose_points(metg_report *report, double iteration_ns)
{
    const metg_options *o = report->options;
    const double own = (double)o->width / report->rank->ranks;
    uint64_t ascending[METG_POINTS_MAX];
    size_t count = 0;
    for (uint64_t low = 1; low <= o->iterations; low *= 2) {
        ascending[count++] = low;
        if (low > 1 && low + low / 2 <= o->iterations)
            ascending[count++] = low + low / 2;
    }
    report->point_count = count;
    for (size_t point = 0; point < count; point++) {
        const uint64_t iterations = ascending[count - 1 - point];
        const double step_ns = STEP_NS + own * (double)iterations * iteration_ns;
        double steps = RUN_NS / step_ns;
        steps = steps < STEPS_LEAST ? STEPS_LEAST : steps;
        report->iterations[point] = iterations;
        report->steps[point] = steps < (double)o->steps ? (uint32_t)steps : (uint32_t)o->steps;
    }
}

static bool choose_series(metg_run *run)
{
    const metg_options *o = &run->options;
    for (unsigned n = 0; n < METG_PATTERNS * METG_VERSIONS; n++) {
        const unsigned pattern = n / METG_VERSIONS, i = n % METG_VERSIONS;
        metg_series *series = &run->report.series[pattern][i];
        if (!perf_value_lists(o->patterns, ',', metg_pattern_names[pattern]) ||
            !perf_value_lists(o->versions, ',', metg_versions[i].name))
            continue;
        series->is_run = metg_versions[i].way == METG_MPI    ? metg_mpi_missing() == NULL
                         : metg_versions[i].way == METG_VIEW ? run->rank.mapped
                                                             : true;
        for (size_t point = 0; point < run->report.point_count; point++) {
            series->elapsed_ns[point] = calloc(o->rounds, sizeof(double));
            if (series->elapsed_ns[point] == NULL) {
                fprintf(stderr, "metg: no memory\n");
                return false;
            }
        }
    }
    return true;
}

/* Rank 0's time of an iteration, which it puts where all can get it. */
static bool agree_on_iteration(metg_run *run, double *ns_out)
{
    metg_rank *r = &run->rank;
    tc_error err = {TC_OK, ""};
    uint64_t picoseconds = (uint64_t)(metg_kernel_measure() * 1000);
    if (r->rank == 0)
        __atomic_store_n(r->words, picoseconds, __ATOMIC_SEQ_CST); /* METG_WORD_PING */
    if (!metg_rank_barrier(r) ||
        (r->rank != 0 &&
         !metg_rank_check(tc_window_get(r->peers[0].ep, r->peers[0].window, &picoseconds,
                                        sizeof picoseconds, METG_TIMEOUT_NS, &err),
                          &err, "get")) ||
        !metg_rank_barrier(r))
        return false;
    if (r->rank == 0)
        __atomic_store_n(r->words, 0, __ATOMIC_SEQ_CST);
    *ns_out = (double)picoseconds / 1000;
    return metg_rank_barrier(r);
}

/* --- a rank ------------------------------------------------------------------------------ */

static bool run_rounds(metg_run *run)
{
    double iteration_ns;
    if (!agree_on_iteration(run, &iteration_ns))
        return false;
    choose_points(&run->report, iteration_ns);
    if (!choose_series(run))
        return false;
    rank_machine_load(run->report.load_before, sizeof run->report.load_before);
    if (!run_round(run, 0)) /* the first messages carry code */
        return false;
    for (uint64_t round = 0; round < run->options.rounds; round++) {
        if (!run_round(run, round))
            return false;
    }
    rank_machine_load(run->report.load_after, sizeof run->report.load_after);
    return true;
}

static bool is_possible(const metg_options *o, uint32_t ranks)
{
    if (ranks < 2 || ranks > METG_RANKS_MAX || o->width % ranks != 0 || o->bytes % 8 != 0) {
        fprintf(
            stderr,
            "metg: %u ranks, %llu points and %llu bytes, expected 2 to %u ranks, a multiple "
            "of them as points, and a multiple of 8 bytes\n",
            ranks, (unsigned long long)o->width, (unsigned long long)o->bytes, METG_RANKS_MAX);
        return false;
    }
    return true;
}

static bool create_graphs(metg_run *run, uint32_t rank, uint32_t ranks)
{
    bool ok = true;
    for (unsigned i = 0; i < METG_PATTERNS; i++) {
        const metg_graph_params params = {(metg_pattern)i, ranks, (uint32_t)run->options.width};
        ok = metg_graph_create(&params, rank, &run->graphs[i]) && ok;
    }
    run->expected = calloc(run->options.width, sizeof *run->expected);
    ok = ok && run->expected != NULL;
    if (!ok)
        fprintf(stderr, "metg: no memory\n");
    return ok;
}

static void destroy(metg_run *run)
{
    metg_rank_destroy(&run->rank);
    for (unsigned pattern = 0; pattern < METG_PATTERNS; pattern++) {
        metg_graph_destroy(&run->graphs[pattern]);
        for (unsigned i = 0; i < METG_VERSIONS; i++) {
            for (size_t point = 0; point < METG_POINTS_MAX; point++)
                free(run->report.series[pattern][i].elapsed_ns[point]);
        }
    }
    free(run->expected);
}

static bool run_rank(metg_run *run, tc_context *ctx, tc_group *group)
{
    const uint32_t rank = tc_group_rank(group), ranks = tc_group_size(group);
    const metg_rank_params params = {(uint32_t)run->options.width, run->options.bytes};
    if (!is_possible(&run->options, ranks))
        return false;
    if (!run->options.unpinned)
        (void)rank_machine_pin(rank, 1);
    run->report.kernel = metg_kernel_choose();
    bool ok = create_graphs(run, rank, ranks) &&
              metg_rank_create(ctx, group, &params, &run->rank) && run_rounds(run);
    if (ok && rank == 0)
        ok = metg_report_write(&run->report) && metg_report_is_verified(&run->report);
    ok = ok && metg_rank_barrier(&run->rank);
    destroy(run);
    return ok;
}

int main(int argc, char **argv)
{
    metg_run *run = calloc(1, sizeof *run);
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    if (run == NULL)
        return TOOL_FAILED;
    run->options = (metg_options){.width = 8,
                                  .bytes = sizeof(metg_output),
                                  .steps = 1000,
                                  .iterations = 4096,
                                  .rounds = 20,
                                  .patterns = METG_PATTERN_NAMES,
                                  .versions = METG_VERSION_NAMES};
    const int parsed = tool_options_parse(&command, argc, argv, &run->options);
    if (parsed != TOOL_GO_ON) {
        free(run);
        return parsed;
    }
    run->report.options = &run->options;
    run->report.rank = &run->rank;
    perf_clock_init();
    const bool ok = metg_rank_check(tc_context_create(NULL, &ctx, &err), &err, "context") &&
                    metg_mpi_join(ctx, &argc, &argv, &group) && run_rank(run, ctx, group);
    tc_context_destroy(ctx);
    if (ok)
        metg_mpi_leave();
    free(run);
    return ok ? TOOL_OK : TOOL_FAILED;
}
