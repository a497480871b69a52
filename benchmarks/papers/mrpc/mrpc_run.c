/* The rounds of an application: each version begins with the same values and ends with results
 * that every rank compares with a serial run's. */
#include "mrpc_run.h"

#include "mrpc_exchange.h"
#include "perf_clock.h"
#include "perf_value.h"
#include "rank_machine.h"
#include "tool_status.h"

#include <stdlib.h>

/* --- a run ------------------------------------------------------------------------------- */

static mrpc_stamps_clock clock_of_stamps(void)
{
    return perf_clock_is_counter ? MRPC_STAMPS_COUNTER : MRPC_STAMPS_MONOTONIC;
}

/* Rank 0's clock runs from a barrier to a barrier, so it has the time of the slowest rank. */
static bool run_version(mrpc_report *report, mrpc_rank *r, unsigned i, mrpc_stamps_clock clock,
                        double *figure_out)
{
    const mrpc_app *app = report->app;
    const uint64_t wrong = mrpc_rank_word(r, MRPC_WORD_WRONG);
    app->reset(r);
    if (!mrpc_rank_barrier(r))
        return false;
    const uint64_t begin_ns = perf_now_ns();
    if (clock != MRPC_STAMPS_OFF)
        mrpc_stamps_begin(&r->stamps, clock);
    const bool ok = app->run(r, i) && mrpc_rank_barrier(r);
    mrpc_stamps_end(&r->stamps);
    *figure_out = (double)(perf_now_ns() - begin_ns) / app->units(r);
    if (!ok || !mrpc_exchange_end(r) ||
        (!app->is_right(r) && !mrpc_rank_add_word(r, MRPC_WORD_WRONG, 1)) ||
        !mrpc_rank_barrier(r))
        return false;
    if (mrpc_rank_word(r, MRPC_WORD_WRONG) != wrong)
        report->results[i].wrong = true;
    return true;
}

/* --- stamps ------------------------------------------------------------------------------ */

/* Measures stamps that follow one another. */
static double stamp_cost_ns(void)
{
    const uint64_t count = 1000000;
    mrpc_stamps stamps;
    mrpc_stamps_begin(&stamps, clock_of_stamps());
    const uint64_t begin_ns = perf_now_ns();
    for (uint64_t i = 0; i < count; i++)
        (void)mrpc_stamps_enter(&stamps, (mrpc_part)(i % MRPC_PARTS));
    return (double)(perf_now_ns() - begin_ns) / (double)count;
}

/* Rank 0 takes the sums of all ranks as the growth of its words. */
static bool run_stamped(mrpc_report *report, mrpc_rank *r, unsigned i, mrpc_stamped *out)
{
    uint64_t before[MRPC_PARTS + 1];
    double unused;
    for (unsigned k = 0; k <= MRPC_PARTS; k++)
        before[k] = mrpc_rank_word(r, (mrpc_word)(MRPC_WORD_STAMPS + k));
    bool ok = run_version(report, r, i, clock_of_stamps(), &unused) &&
              mrpc_rank_add_word(r, MRPC_WORD_STAMPS, r->stamps.count);
    for (unsigned k = 0; ok && k < MRPC_PARTS; k++)
        ok = mrpc_rank_add_word(
            r, (mrpc_word)(MRPC_WORD_PARTS + k),
            (uint64_t)((double)r->stamps.ticks[k] * perf_clock_ns_per_tick()));
    if (!ok || !mrpc_rank_barrier(r))
        return false;
    const double ranks = r->ranks;
    out->stamps = (double)(mrpc_rank_word(r, MRPC_WORD_STAMPS) - before[0]) / ranks;
    for (unsigned k = 0; k < MRPC_PARTS; k++) {
        const uint64_t ns = mrpc_rank_word(r, (mrpc_word)(MRPC_WORD_PARTS + k)) - before[k + 1];
        out->parts[k] = (double)ns / ranks / report->app->units(r);
    }
    return true;
}

static bool run_stamped_rounds(mrpc_report *report, mrpc_rank *r)
{
    report->stamp_cost = stamp_cost_ns() / report->app->units(r);
    for (uint64_t round = 0; round < report->options->stamped; round++) {
        for (unsigned i = 0; i < report->app->version_count; i++) {
            mrpc_result *result = &report->results[i];
            if (result->chosen && result->skipped == NULL &&
                !run_stamped(report, r, i, &result->stamped[round]))
                return false;
        }
    }
    return true;
}

/* --- rounds ------------------------------------------------------------------------------ */

static bool run_round(mrpc_report *report, mrpc_rank *r, uint64_t round)
{
    for (unsigned i = 0; i < report->app->version_count; i++) {
        mrpc_result *result = &report->results[i];
        if (result->chosen && result->skipped == NULL &&
            !run_version(report, r, i, MRPC_STAMPS_OFF, &result->figures[round]))
            return false;
    }
    return mrpc_rank_measure_word(r, &report->word_ns[round]);
}

/* Serves ONC RPC if a version needs that. */
static bool choose_versions(mrpc_report *report, mrpc_rank *r)
{
    bool needs_rpc = false;
    for (unsigned i = 0; i < report->app->version_count; i++) {
        const mrpc_version *version = &report->app->versions[i];
        mrpc_result *result = &report->results[i];
        result->chosen = perf_value_lists(report->options->versions, ',', version->name);
        if (version->way == MRPC_VIEW && !r->mapped)
            result->skipped = "windows cannot be mapped";
        if (version->way == MRPC_RPC)
            result->skipped = mrpc_rpc_missing();
        needs_rpc |= version->way == MRPC_RPC && result->chosen && result->skipped == NULL;
    }
    return !needs_rpc || mrpc_rpc_open(r, report->app->serve, report->app->body_max(r));
}

static bool run_rounds(mrpc_report *report, mrpc_rank *r)
{
    rank_machine_load(report->load_before, sizeof report->load_before);
    if (!run_round(report, r, 0)) /* the first messages carry code */
        return false;
    for (uint64_t round = 0; round < report->options->rounds; round++) {
        if (!run_round(report, r, round))
            return false;
    }
    rank_machine_load(report->load_after, sizeof report->load_after);
    return true;
}

static bool run_rank(mrpc_report *report, mrpc_rank *r, const void *options)
{
    bool ok = report->app->create(r, options) && choose_versions(report, r) &&
              run_rounds(report, r) && run_stamped_rounds(report, r);
    if (ok && r->rank == 0)
        ok = mrpc_report_write(report) && mrpc_report_is_verified(report);
    ok = ok && mrpc_rank_barrier(r);
    mrpc_rpc_close(r);
    report->app->destroy(r);
    return ok;
}

int mrpc_run_main(const mrpc_app *app, const tool_command *command, void *options,
                  const mrpc_options *common, int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_group *group;
    tc_error err = {TC_OK, ""};
    const int parsed = tool_options_parse(command, argc, argv, options);
    if (parsed != TOOL_GO_ON)
        return parsed;
    mrpc_report *report = calloc(1, sizeof *report);
    mrpc_rank *r = calloc(1, app->state_bytes);
    if (report == NULL || r == NULL)
        return TOOL_FAILED;
    *report = (mrpc_report){.app = app, .options = common, .rank = r};
    perf_clock_init();
    const bool ok =
        mrpc_rank_check(tc_context_create(NULL, &ctx, &err), &err, "context") &&
        mrpc_rank_check(tc_group_join(ctx, MRPC_TIMEOUT_NS, &group, &err), &err, "group") &&
        mrpc_rank_init(r, ctx, group) && run_rank(report, r, options);
    tc_context_destroy(ctx);
    free(report);
    free(r);
    return ok ? TOOL_OK : TOOL_FAILED;
}
