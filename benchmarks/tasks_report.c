/* The table and the JSON of the experiment `tasks`. */
#include "tasks_run.h"

#include "perf_report.h"
#include "perf_stats.h"
#include "placement.h"

#include <stdio.h>
#include <string.h>

typedef struct figure_form {
    const char *name;
    const char *unit;
    char order;
} figure_form;

#define FORM(name, text, unit, order) {text, unit, order},
static const figure_form forms[] = {TASKS_FIGURES(FORM)};

uint64_t tasks_run_count(const tasks_run *run, tasks_figure figure)
{
    const uint64_t all = run->options->iterations;
    switch (figure) {
    case TASKS_WORD:
    case TASKS_SWITCH:
    case TASKS_SWITCH_RETURN:
    case TASKS_CALL:
    case TASKS_TURN:
    case TASKS_RATE_QUIET:
        return 0;
    case TASKS_BEGIN:
    case TASKS_SUSPEND_ONE:
        return 1;
    case TASKS_SUSPEND_FEW:
        return TASKS_FEW;
    case TASKS_ANSWER_ORDERED:
    case TASKS_ANSWER_RANDOM:
    case TASKS_CREATE_CALL:
    case TASKS_RESIDENT_CALL:
    case TASKS_ALLOCATED_CALL:
        return all < TASKS_CALLS_MAX ? all : TASKS_CALLS_MAX;
    default:
        return all;
    }
}

static const char *order_of(const figure_form *form)
{
    return form->order == 'o' ? "created" : form->order == 'r' ? "random" : "none";
}

typedef struct tasks_ratio {
    const char *name;
    tasks_figure over, under;
} tasks_ratio;

static const tasks_ratio ratios[] = {
    {"begin_to_switch", TASKS_BEGIN, TASKS_SWITCH},
    {"begin_to_switch_return", TASKS_BEGIN, TASKS_SWITCH_RETURN},
    {"begin_to_call", TASKS_BEGIN, TASKS_CALL},
    {"suspend_to_switch", TASKS_SUSPEND_ONE, TASKS_SWITCH},
    {"suspend_to_turn", TASKS_SUSPEND_ONE, TASKS_TURN},
    {"suspend_random_to_created", TASKS_SUSPEND_RANDOM, TASKS_SUSPEND_ORDERED},
    {"wake_sleep_random_to_created", TASKS_SLEEP_RANDOM, TASKS_SLEEP_ORDERED},
    {"wake_answer_random_to_created", TASKS_ANSWER_RANDOM, TASKS_ANSWER_ORDERED},
    {"rate_waiting_to_quiet", TASKS_RATE_WAITING, TASKS_RATE_QUIET},
};

/* Round by round, before the samples are sorted. */
static void report_ratios(const tasks_run *run, json_t *object)
{
    const unsigned rounds = run->options->rounds;
    double each[rounds];
    const bool quiet = perf_report_is_quiet(run->options);
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        for (unsigned round = 0; round < rounds; round++)
            each[round] =
                run->samples[ratios[i].over][round] / run->samples[ratios[i].under][round];
        const perf_spread spread = perf_stats_spread(each, rounds);
        (void)json_object_set_new(object, ratios[i].name, perf_report_number(spread.median));
        if (!quiet)
            (void)printf("%-30s %8.3f  %.3f to %.3f\n", ratios[i].name, spread.median,
                         spread.quarter, spread.three_quarters);
    }
}

static void report_row(const tasks_run *run, json_t *rows, tasks_figure figure,
                       const char *placement)
{
    const figure_form *form = &forms[figure];
    const uint64_t tasks = tasks_run_count(run, figure);
    const perf_spread spread = perf_stats_spread(run->samples[figure], run->options->rounds);
    const bool is_rate = strcmp(form->unit, "rate_per_s") == 0;
    const double shown = is_rate ? 1e-6 : 1;
    json_t *row =
        json_pack("{s:s, s:I, s:s, s:s, s:s}", "figure", form->name, "tasks", (json_int_t)tasks,
                  "order", order_of(form), "delivery", run->delivery, "placement", placement);
    perf_report_spread(row, form->unit, spread, 1);
    (void)json_array_append_new(rows, row);
    if (!perf_report_is_quiet(run->options))
        (void)printf("%-16s %9llu %-8s %-6s %12.3f %12.3f %12.3f\n", form->name,
                     (unsigned long long)tasks, order_of(form), is_rate ? "M/s" : form->unit,
                     spread.median * shown, spread.quarter * shown,
                     spread.three_quarters * shown);
}

/* Figures that the allocator does not give are left out. */
static bool is_known(const tasks_run *run, tasks_figure figure)
{
    return (figure != TASKS_ALLOCATED_SLEEP && figure != TASKS_ALLOCATED_CALL) ||
           run->samples[figure][0] > 0;
}

bool tasks_report_write(tasks_run *run)
{
    json_t *report = perf_report_create(run->options), *object = json_object();
    const bool quiet = perf_report_is_quiet(run->options);
    double words[run->options->rounds];
    memcpy(words, run->samples[TASKS_WORD], sizeof words);
    const char *placement =
        placement_name(placement_of_words(perf_stats_spread(words, run->options->rounds)));
    if (!quiet)
        (void)printf("%-30s %8s  quartiles\n", "ratio", "p50");
    report_ratios(run, object);
    (void)json_object_set_new(report, "ratios", object);
    if (!quiet)
        (void)printf("\n%-16s %9s %-8s %-6s %12s %12s %12s\n", "figure", "tasks", "order",
                     "unit", "p50", "quarter", "three qu.");
    for (tasks_figure figure = 0; figure < TASKS_FIGURE_COUNT; figure++) {
        if (is_known(run, figure))
            report_row(run, json_object_get(report, "rows"), figure, placement);
    }
    if (!quiet)
        (void)printf("\nof each task; %s; processors %s; medians of %u rounds\n", run->delivery,
                     placement, run->options->rounds);
    return perf_report_write(run->options, report);
}
