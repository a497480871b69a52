#include "kmer_function.h"

#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

bool kmer_function_open(kmer_rank *r)
{
    tc_error err = {TC_OK, ""};
    r->share.table = r->table;
    tc_context_set_target_args(r->ctx, &r->share);
    return kmer_rank_check(tc_ifunc_open(r->ctx, "kmer_count", &r->count, &err), &err,
                           "kmer_count");
}

static bool send_full(kmer_rank *r, uint32_t owner)
{
    const kmer_lane *lane = &r->lanes[owner];
    const size_t size = lane->count * sizeof *lane->words;
    tc_error err = {TC_OK, ""};
    tc_ep *ep;
    if (!kmer_rank_check(tc_group_ep(r->group, owner, &ep, &err), &err, "endpoint"))
        return false;
    tc_status status = tc_send(ep, r->count, lane->words, size);
    if (status == TC_E_AGAIN)
        status = tc_send_wait(ep, r->count, lane->words, size, KMER_TIMEOUT_NS, &err);
    else if (status != TC_OK)
        (void)tc_send_error(r->ctx, &err);
    if (kmer_rank_has_to_look(r, lane->count))
        (void)tc_progress(r->ctx);
    kmer_lane_next(r, owner);
    return kmer_rank_check(status, &err, "kmer_count");
}

static bool flush(const kmer_rank *r)
{
    tc_error err = {TC_OK, ""};
    tc_ep *ep;
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        if (owner != r->rank &&
            (!kmer_rank_check(tc_group_ep(r->group, owner, &ep, &err), &err, "endpoint") ||
             !kmer_rank_check(tc_ep_flush(ep, KMER_TIMEOUT_NS, &err), &err, "flush")))
            return false;
    }
    return true;
}

/* The barrier behind it runs the messages of the others, but for those that the table has no
 * slot for. */
bool kmer_function_run(kmer_rank *r)
{
    return kmer_rank_route(r, send_full, NULL) && flush(r) &&
           (r->share.is_full == 0 || kmer_rank_is_full(r));
}
