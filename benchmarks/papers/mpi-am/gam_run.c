#include "gam_run.h"

#include "gam_compute.h"
#include "gam_rank.h"
#include "gam_report.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "rank_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rank 1, which writes the report, has the verdict of all. */
static bool verify(gam_rank *r, gam_case *c)
{
    uint64_t wrong = 0;
    if (!gam_rank_is_right(r, c)) {
        fprintf(stderr, "am: rank %u: %s %s: a value is wrong\n", r->rank, c->way->name,
                gam_operation_names[c->operation]);
        if (!gam_rank_note_wrong(r))
            return false;
    }
    if (!gam_rank_barrier(r) || (r->rank == 1 && !gam_rank_wrong(r, &wrong)))
        return false;
    c->is_wrong |= wrong > 0;
    return gam_rank_barrier(r);
}

static bool run_part(gam_rank *r, const gam_case *c)
{
    r->ended = 0;
    r->failed = TC_OK;
    r->began_ns = perf_now_ns();
    r->ended_ns = 0;
    if (r->rank >= 1 && r->rank <= c->origins) {
        if (!c->way->origin(r, c))
            return false;
    } else if (c->way->target != NULL && !c->way->target(r, c)) {
        return false;
    }
    if (r->ended_ns == 0)
        r->ended_ns = perf_now_ns();
    return true;
}

/* The first messages of a case wake the target, and fill caches. */
static bool warm_up(gam_rank *r, const gam_case *c)
{
    gam_case few = *c;
    few.messages = GAM_WARMUP;
    r->is_warming_up = true;
    const bool ok = run_part(r, &few);
    r->is_warming_up = false;
    return ok;
}

/* One case at one rank. The time of several origins ends when all have ended. */
static bool run_case(gam_rank *r, gam_case *c, double *ns_out)
{
    tc_am_counts before, after;
    const bool asks = r->rank >= 1 && r->rank <= c->origins;
    bool ok = gam_rank_open(r, c);
    if (!ok)
        return false;
    gam_rank_begin(r, c);
    tc_am_count(r->ams, &before, sizeof before);
    if (!gam_rank_barrier(r))
        return false;
    ok = warm_up(r, c) && run_part(r, c);
    *ns_out = (double)(r->ended_ns - r->began_ns);
    if (!ok || (asks && c->origins > 1 && !gam_rank_put_stamps(r)) || !gam_rank_barrier(r) ||
        (c->origins > 1 && r->rank == 1 && !gam_rank_elapsed(r, c->origins, ns_out)))
        return false;
    tc_am_count(r->ams, &after, sizeof after);
    c->units_sent += after.units_sent - before.units_sent;
    c->waited += after.waited - before.waited;
    return verify(r, c);
}

static bool run_round(gam_rank *r, gam_plan *plan, gam_report *report, uint64_t round)
{
    for (unsigned i = 0; i < plan->count; i++) {
        double ns;
        gam_case *c = &plan->cases[i];
        if (!run_case(r, c, &ns))
            return false;
        c->ns[round] = ns;
    }
    return gam_rank_measure_word(r, &report->word_ns[round]);
}

static bool run_rounds(gam_rank *r, gam_plan *plan, gam_report *report)
{
    const gam_options *o = report->options;
    rank_machine_load(report->load_before, sizeof report->load_before);
    if (!run_round(r, plan, report, 0)) /* the first messages carry code */
        return false;
    for (unsigned i = 0; i < plan->count; i++)
        plan->cases[i].units_sent = plan->cases[i].waited = 0;
    for (uint64_t round = 0; round < o->rounds; round++) {
        if (!run_round(r, plan, report, round))
            return false;
    }
    rank_machine_load(report->load_after, sizeof report->load_after);
    return true;
}

static bool is_right(const gam_plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        if (plan->cases[i].is_wrong)
            return false;
    }
    return true;
}

static bool run_rank(gam_rank *r, gam_plan *plan, gam_report *report, const gam_mpi_part *mpi)
{
    static const gam_case none;
    const gam_options *o = report->options;
    uint32_t origins = r->ranks - 1;
    origins = origins < o->origins ? origins : (uint32_t)o->origins;
    gam_plan_make(plan, o, origins, mpi->ways);
    report->ranks = r->ranks;
    report->vectors = gam_compute_choose();
    report->is_pinned = !o->unpinned && rank_machine_pin(r->rank, r->ranks);
    const bool ok = gam_rank_open(r, &none) && (mpi->open == NULL || mpi->open(r)) &&
                    run_rounds(r, plan, report);
    if (ok && r->rank == 1)
        perf_context_delivery(r->ep, report->delivery, NULL);
    return ok && (r->rank != 1 || gam_report_write(report)) && gam_rank_barrier(r) &&
           is_right(plan);
}

bool gam_run(tc_context *ctx, tc_group *group, const gam_options *options, const char *program,
             const gam_mpi_part *mpi)
{
    gam_rank *r = calloc(1, sizeof *r);
    gam_plan *plan = calloc(1, sizeof *plan);
    gam_report report = {.options = options,
                         .plan = plan,
                         .program = program,
                         .library = mpi->library != NULL ? mpi->library : ""};
    const bool ok = (r != NULL && plan != NULL) || gam_rank_complain("no memory");
    const bool is_done =
        ok && gam_rank_create(ctx, group, r) && run_rank(r, plan, &report, mpi);
    if (r != NULL)
        gam_rank_destroy(r);
    free(r);
    free(plan);
    return is_done;
}
