#include "kmer_am.h"

#include <stdio.h>
#include <stdlib.h>
#include <tc/am.h>
#include <tc/context.h>

#define UNIT_BYTES 65536u       /* 8,192 words: most batches are one unit */
#define CREDIT_BYTES (1u << 20) /* to one owner */
#define SIGNATURE "uint64_t[]; kmer_slot[a power of two]"

typedef struct kmer_am {
    tc_ams *ams;
    tc_am_window *window;
    tc_am_op *op;
    tc_am_op *beside_op;
    bool is_beside; /* of the run */
    tc_am_request requests[KMER_RANKS_MAX][KMER_BUFFERS];
} kmer_am;

/* --- the operations ---------------------------------------------------------------------- */

static bool has_table(tc_am_unit *unit, kmer_table *table_out)
{
    const uint64_t slots = unit->persistent_bytes / sizeof(kmer_slot);
    if (unit->persistent_bytes != 0 && unit->persistent_bytes % sizeof(kmer_slot) == 0 &&
        (slots & (slots - 1)) == 0 && unit->input_bytes == sizeof(uint64_t)) {
        *table_out = (kmer_table){unit->persistent, slots - 1};
        return true;
    }
    tc_am_fail(unit, TC_E_INVALID, "expected words of 8 bytes and a power of two of slots");
    return false;
}

static void count_words(tc_am_unit *unit)
{
    kmer_table table;
    if (has_table(unit, &table) && !kmer_table_add_all(table, unit->input, unit->segments))
        tc_am_fail(unit, TC_E_TOO_LARGE, "the table is full");
}

static void count_words_beside(tc_am_unit *unit)
{
    kmer_table table;
    if (has_table(unit, &table) &&
        !kmer_table_add_all_beside(table, unit->input, unit->segments))
        tc_am_fail(unit, TC_E_TOO_LARGE, "the table is full");
}

/* --- batches ----------------------------------------------------------------------------- */

/* Waits until a buffer can be filled again, serving others. */
static bool await_request(kmer_rank *r, const tc_am_request *request)
{
    while (!request->is_done)
        (void)tc_progress(r->ctx);
    if (request->status == TC_OK)
        return true;
    fprintf(stderr, "kmer: active message: %s: %s\n", tc_status_name(request->status),
            request->text);
    return false;
}

static bool count_own_beside(kmer_rank *r, uint32_t owner)
{
    const kmer_lane *lane = &r->lanes[owner];
    return kmer_table_add_all_beside(r->table, lane->words, lane->count) ||
           kmer_rank_is_full(r);
}

static bool start_full(kmer_rank *r, uint32_t owner)
{
    kmer_am *am = r->am;
    const kmer_lane *lane = &r->lanes[owner];
    const tc_am_params params = {.input = lane->words,
                                 .input_layout = {.bytes = sizeof(uint64_t)},
                                 .segments = lane->count,
                                 .bytes = (r->table.mask + 1) * sizeof(kmer_slot)};
    tc_error err = {TC_OK, ""};
    if (!kmer_rank_check(tc_am_start(am->window, owner, am->is_beside ? am->beside_op : am->op,
                                     &params, &am->requests[owner][lane->buffer], &err),
                         &err, "active message"))
        return false;
    if (kmer_rank_has_to_look(r, lane->count))
        (void)tc_progress(r->ctx);
    kmer_lane_next(r, owner);
    return await_request(r, &am->requests[owner][lane->buffer]);
}

/* --- runs -------------------------------------------------------------------------------- */

static bool run(kmer_rank *r, bool is_beside)
{
    kmer_am *am = r->am;
    am->is_beside = is_beside;
    tc_am_window_set_concurrent(am->window, is_beside);
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        for (uint32_t i = 0; i < KMER_BUFFERS; i++)
            am->requests[owner][i] = (tc_am_request){.is_done = 1};
    }
    if (!kmer_rank_route(r, start_full, is_beside ? count_own_beside : NULL))
        return false;
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        for (uint32_t i = 0; i < KMER_BUFFERS; i++) {
            if (!await_request(r, &am->requests[owner][i]))
                return false;
        }
    }
    return true;
}

bool kmer_am_run(kmer_rank *r)
{
    return run(r, false);
}

bool kmer_am_run_beside(kmer_rank *r)
{
    return run(r, true);
}

uint64_t kmer_am_here(const kmer_rank *r)
{
    tc_am_counts counts;
    tc_am_count(r->am->ams, &counts, sizeof counts);
    return counts.units_here;
}

/* --- the window -------------------------------------------------------------------------- */

bool kmer_am_open(kmer_rank *r, uint64_t slots)
{
    const tc_ams_params params = {
        .group = r->group, .unit_bytes = UNIT_BYTES, .credit_bytes = CREDIT_BYTES};
    const tc_am_window_params window = {.bytes = slots * sizeof(kmer_slot), .shared = 1};
    tc_error err = {TC_OK, ""};
    kmer_am *am = r->am = calloc(1, sizeof *am);
    if (am == NULL) {
        fprintf(stderr, "kmer: no memory\n");
        return false;
    }
    if (!kmer_rank_check(tc_ams_open(r->ctx, &params, &am->ams, &err), &err, "open") ||
        !kmer_rank_check(
            tc_am_op_register(am->ams, "kmer_count", SIGNATURE, count_words, &am->op, &err),
            &err, "operation") ||
        !kmer_rank_check(tc_am_op_register(am->ams, "kmer_count_beside", SIGNATURE,
                                           count_words_beside, &am->beside_op, &err),
                         &err, "operation") ||
        !kmer_rank_check(
            tc_am_window_open(am->ams, &window, KMER_TIMEOUT_NS, &am->window, &err), &err,
            "window"))
        return false;
    r->table = (kmer_table){tc_am_window_memory(am->window), slots - 1};
    return true;
}

bool kmer_am_close(kmer_rank *r)
{
    kmer_am *am = r->am;
    tc_error err = {TC_OK, ""};
    bool ok = true;
    if (am == NULL)
        return true;
    if (am->window != NULL)
        ok = kmer_rank_check(tc_am_window_close(am->window, KMER_TIMEOUT_NS, &err), &err,
                             "window");
    if (am->ams != NULL)
        ok = kmer_rank_check(tc_ams_close(am->ams), &err, "close") && ok;
    free(am);
    r->am = NULL;
    return ok;
}
