#include "gam_rank.h"

#include "gam_compute.h"

#include "word_trips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE 0u /* of windows, pointers and views */
#define SUMS 1u
#define SLOT_BYTES (sizeof(int32_t) * GAM_SUMS_OF_ORIGIN)

bool gam_rank_check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "am: %s: %s: %s\n", what, tc_status_name(status), err->text);
    return status == TC_OK;
}

bool gam_rank_complain(const char *text)
{
    fprintf(stderr, "am: %s\n", text);
    return false;
}

bool gam_rank_barrier(const gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    return gam_rank_check(tc_group_barrier(r->group, GAM_TIMEOUT_NS, &err), &err, "barrier");
}

/* --- the operations, as active messages have them ---------------------------------------- */

static void run_search(tc_am_unit *unit)
{
    gam_search(unit->persistent, unit->input, unit->output, unit->segments);
}

static void run_sum(tc_am_unit *unit)
{
    const uint32_t values = unit->input_bytes / sizeof(int32_t);
    gam_compute_sum((int32_t *)unit->persistent + (size_t)unit->first * values, unit->input,
                    unit->output_bytes > 0 ? unit->output : NULL, unit->segments * values);
}

static void run_sum_atomic(tc_am_unit *unit)
{
    const uint32_t values = unit->input_bytes / sizeof(int32_t);
    gam_sum_atomic((int32_t *)unit->persistent + (size_t)unit->first * values, unit->input,
                   unit->output_bytes > 0 ? unit->output : NULL, unit->segments * values);
}

static const struct {
    const char *name, *signature;
    tc_am_function function;
} operations[GAM_OPERATIONS + 1] = {
    {"search", "char [20] in, char [20] out, table", run_search},
    {"sum", "int32 [n] in, int32 [n] out, int32 [n]", run_sum},
    {"accumulate", "int32 [n] in, int32 [n]", run_sum},
    {"sum-atomic", "int32 [n] in, int32 [n] out, int32 [n]", run_sum_atomic},
};

/* --- active messages --------------------------------------------------------------------- */

static bool close_ams(gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    for (unsigned i = 0; i < 2; i++) {
        if (r->views[i] != NULL)
            (void)tc_window_unmap(r->ctx, r->views[i]);
        r->views[i] = NULL;
    }
    if (r->ams == NULL)
        return true;
    for (unsigned i = 0; i < 2; i++) {
        if (!gam_rank_check(tc_am_window_close(r->windows[i], GAM_TIMEOUT_NS, &err), &err,
                            "closing a window"))
            return false;
    }
    if (tc_ams_close(r->ams) != TC_OK)
        return gam_rank_complain("active messages are under way");
    r->ams = NULL;
    return true;
}

static bool open_window(gam_rank *r, unsigned i)
{
    tc_error err = {TC_OK, ""};
    const uint64_t bytes = i == TABLE ? sizeof(gam_table) : GAM_SUMS_BYTES;
    const tc_am_window_params params = {
        .bytes = r->rank == 0 ? bytes : 0, .shared = r->rank == 0, .unordered = r->unordered};
    return gam_rank_check(
        tc_am_window_open(r->ams, &params, GAM_TIMEOUT_NS, &r->windows[i], &err), &err,
        "window");
}

/* Rank 0 has the memory; others its pointers, and its memory if it can be mapped. */
static bool meet(gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    if (r->rank == 0) {
        memcpy(tc_am_window_memory(r->windows[TABLE]), &r->table, sizeof r->table);
        r->share.table = tc_am_window_memory(r->windows[TABLE]);
        r->share.sums =
            (int32_t *)tc_am_window_memory(r->windows[SUMS]) + GAM_SUMS_AT / sizeof(int32_t);
        tc_context_set_target_args(r->ctx, &r->share);
        return gam_rank_barrier(r);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (!gam_rank_check(tc_am_window_find(r->windows[i], 0, &r->pointers[i], NULL,
                                              GAM_TIMEOUT_NS, &err),
                            &err, "finding a window"))
            return false;
        if (tc_window_map(r->ep, r->pointers[i], GAM_TIMEOUT_NS, &r->views[i], &err) != TC_OK)
            r->views[i] = NULL;
    }
    return gam_rank_barrier(r);
}

static bool open_ams(gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    const tc_ams_params params = {.group = r->group, .credit_bytes = r->credit};
    if (!gam_rank_check(tc_ams_open(r->ctx, &params, &r->ams, &err), &err, "active messages"))
        return false;
    for (unsigned i = 0; i <= GAM_OPERATIONS; i++) {
        if (!gam_rank_check(tc_am_op_register(r->ams, operations[i].name,
                                              operations[i].signature, operations[i].function,
                                              &r->ops[i], &err),
                            &err, operations[i].name))
            return false;
    }
    return open_window(r, TABLE) && open_window(r, SUMS) && meet(r);
}

bool gam_rank_open(gam_rank *r, const gam_case *c)
{
    if (r->ams != NULL && r->credit == c->credit && r->unordered == c->unordered)
        return true;
    if (!close_ams(r))
        return false;
    r->credit = c->credit;
    r->unordered = c->unordered;
    return open_ams(r);
}

/* --- a rank ------------------------------------------------------------------------------ */

static void fill_table(gam_table *table)
{
    char string[GAM_STRING_BYTES];
    for (uint64_t n = 0; n < GAM_STRINGS; n++) {
        gam_string(n, string);
        char(*bucket)[GAM_STRING_BYTES] = table->strings[gam_bucket(string)];
        for (unsigned slot = 0; slot < GAM_SLOTS; slot++) {
            if (bucket[slot][0] != '\0')
                continue;
            memcpy(bucket[slot], string, GAM_STRING_BYTES);
            break;
        }
    }
}

static bool create_slots(gam_rank *r)
{
    for (unsigned i = 0; i < GAM_SLOTS_AT_ONCE; i++) {
        gam_slot *slot = &r->slots[i];
        slot->call = calloc(1, sizeof(gam_call) + SLOT_BYTES);
        slot->output = calloc(1, SLOT_BYTES);
        if (slot->call == NULL || slot->output == NULL)
            return gam_rank_complain("no memory");
        slot->input = slot->call + 1;
    }
    return true;
}

bool gam_rank_create(tc_context *ctx, tc_group *group, gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    r->ctx = ctx;
    r->group = group;
    r->rank = tc_group_rank(group);
    r->ranks = tc_group_size(group);
    if (r->ranks < 2 || r->ranks > GAM_ORIGINS_MAX + 1) {
        fprintf(stderr, "am: found %u ranks, expected 2 to %u\n", r->ranks,
                GAM_ORIGINS_MAX + 1);
        return false;
    }
    fill_table(&r->table);
    return create_slots(r) &&
           gam_rank_check(tc_ifunc_open(ctx, "gam_call", &r->function, &err), &err,
                          "gam_call") &&
           (r->rank == 0 ||
            gam_rank_check(tc_group_ep(group, 0, &r->ep, &err), &err, "endpoint")) &&
           gam_rank_barrier(r);
}

void gam_rank_destroy(gam_rank *r)
{
    if (r->ctx == NULL)
        return;
    (void)close_ams(r);
    tc_ifunc_close(r->function);
    tc_context_set_target_args(r->ctx, NULL);
    for (unsigned i = 0; i < GAM_SLOTS_AT_ONCE; i++) {
        free(r->slots[i].call);
        free(r->slots[i].output);
    }
}

/* --- values ------------------------------------------------------------------------------ */

/* Every other string is in the table, unless its bucket was full. */
static void ask_for(const gam_rank *r, unsigned slot)
{
    for (uint32_t i = 0; i < GAM_SEGMENTS; i++) {
        const uint64_t n = gam_mix((uint64_t)r->rank << 32 | slot * GAM_SEGMENTS | i);
        gam_string(i % 2 == 0 ? n % GAM_STRINGS : n | GAM_STRINGS,
                   (char *)r->slots[slot].input + (size_t)i * GAM_STRING_BYTES);
    }
}

static void fill_slots(gam_rank *r, const gam_case *c)
{
    for (unsigned i = 0; i < GAM_SLOTS_AT_ONCE; i++) {
        gam_slot *slot = &r->slots[i];
        int32_t *values = slot->input;
        *slot->call = (gam_call){.is_sum = c->operation != GAM_SEARCH,
                                 .segments = c->segments,
                                 .values = c->values,
                                 .first = (r->rank - 1) * GAM_SUMS_OF_ORIGIN};
        memset(slot->output, 0xff, SLOT_BYTES);
        if (c->operation == GAM_SEARCH)
            ask_for(r, i);
        else
            for (uint32_t k = 0; k < GAM_SUMS_OF_ORIGIN; k++)
                values[k] = gam_rank_value(k);
    }
}

/* Loads memory into the caches; else the first case of an operation would do so for others. */
static void touch(const void *memory, size_t bytes)
{
    volatile uint64_t sum = 0;
    for (size_t at = 0; memory != NULL && at + sizeof sum <= bytes; at += sizeof sum)
        sum += ((const uint64_t *)memory)[at / sizeof sum];
}

void gam_rank_begin(gam_rank *r, const gam_case *c)
{
    if (r->rank == 0) {
        memset(tc_am_window_memory(r->windows[SUMS]), 0, GAM_SUMS_BYTES);
        touch(r->share.table, sizeof *r->share.table);
        return;
    }
    fill_slots(r, c);
    touch(&r->table, sizeof r->table);
    if (r->views[TABLE] != NULL)
        touch(r->views[TABLE]->memory, sizeof r->table);
}

static bool is_found(const gam_rank *r, const gam_case *c, uint32_t message)
{
    char found[GAM_SEGMENTS * GAM_STRING_BYTES];
    const gam_slot *slot = gam_rank_slot(r, message);
    const uint32_t segments = gam_case_segments(c, message);
    gam_search(&r->table, slot->input, found, segments);
    return memcmp(found, slot->output, (size_t)segments * GAM_STRING_BYTES) == 0;
}

static bool are_sums(const int32_t *sums, uint32_t count, uint32_t times)
{
    for (uint32_t k = 0; k < count; k++) {
        if ((uint32_t)sums[k] != times * (uint32_t)gam_absolute(gam_rank_value(k)))
            return false;
    }
    return true;
}

/* Rank 0 has the sums of all messages; an origin those that each of its last messages had
 * returned. */
bool gam_rank_is_right(const gam_rank *r, const gam_case *c)
{
    const uint32_t last = c->messages;
    if (c->way->kind == GAM_LOCAL)
        return true;
    if (r->rank == 0) {
        for (uint32_t i = 0; c->operation != GAM_SEARCH && i < c->origins; i++) {
            if (!are_sums(r->share.sums + (size_t)i * GAM_SUMS_OF_ORIGIN,
                          c->segments * c->values, c->messages + GAM_WARMUP))
                return false;
        }
        return true;
    }
    if (r->rank > c->origins || gam_case_out(c) == 0)
        return true;
    for (uint32_t n = last > GAM_SLOTS_AT_ONCE ? last - GAM_SLOTS_AT_ONCE : 0; n < last; n++) {
        if (c->operation == GAM_SEARCH ? !is_found(r, c, n)
                                       : !are_sums(gam_rank_slot(r, n)->output,
                                                   c->segments * c->values, n + 1 + GAM_WARMUP))
            return false;
    }
    return true;
}

bool gam_rank_note_wrong(gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    if (r->rank == 0) {
        uint64_t *words = tc_am_window_memory(r->windows[SUMS]);
        (void)__atomic_fetch_add(words + GAM_WRONG_AT / sizeof *words, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    const tc_gptr at = tc_gptr_add(r->pointers[SUMS], GAM_WRONG_AT);
    return gam_rank_check(tc_window_fetch_add(r->ep, at, 1, NULL, GAM_TIMEOUT_NS, &err), &err,
                          "fetch and add");
}

bool gam_rank_wrong(gam_rank *r, uint64_t *count_out)
{
    tc_error err = {TC_OK, ""};
    const tc_gptr at = tc_gptr_add(r->pointers[SUMS], GAM_WRONG_AT);
    return gam_rank_check(
        tc_window_get(r->ep, at, count_out, sizeof *count_out, GAM_TIMEOUT_NS, &err), &err,
        "get");
}

/* --- the time of several origins --------------------------------------------------------- */

bool gam_rank_put_stamps(gam_rank *r)
{
    const uint64_t stamps[2] = {r->began_ns, r->ended_ns};
    const tc_gptr at = tc_gptr_add(r->pointers[SUMS], GAM_STAMPS_AT + r->rank * sizeof stamps);
    tc_error err = {TC_OK, ""};
    return gam_rank_check(tc_window_put(r->ep, at, stamps, sizeof stamps, GAM_TIMEOUT_NS, &err),
                          &err, "put");
}

bool gam_rank_elapsed(gam_rank *r, uint32_t origins, double *ns_out)
{
    uint64_t stamps[GAM_ORIGINS_MAX + 1][2], began = UINT64_MAX, ended = 0;
    const tc_gptr at = tc_gptr_add(r->pointers[SUMS], GAM_STAMPS_AT);
    tc_error err = {TC_OK, ""};
    if (!gam_rank_check(tc_window_get(r->ep, at, stamps, sizeof stamps, GAM_TIMEOUT_NS, &err),
                        &err, "get"))
        return false;
    for (uint32_t rank = 1; rank <= origins; rank++) {
        began = stamps[rank][0] < began ? stamps[rank][0] : began;
        ended = stamps[rank][1] > ended ? stamps[rank][1] : ended;
    }
    *ns_out = (double)(ended - began);
    return true;
}

/* --- near or far ------------------------------------------------------------------------- */

bool gam_rank_measure_word(gam_rank *r, double *ns_out)
{
    uint64_t *words = NULL;
    if (r->rank == 0)
        words = tc_am_window_memory(r->windows[SUMS]);
    else if (r->views[SUMS] != NULL)
        words = r->views[SUMS]->memory;
    *ns_out = 0;
    if (r->rank == 0)
        memset(words, 0, GAM_SUMS_AT);
    if (!gam_rank_barrier(r))
        return false;
    if (r->rank == 1 && words != NULL)
        words[GAM_MAPPED_AT / sizeof *words] = 1;
    if (!gam_rank_barrier(r))
        return false;
    if (r->rank < 2 && words != NULL && words[GAM_MAPPED_AT / sizeof *words] != 0 &&
        !word_trips_measure(words + GAM_PING_AT / sizeof *words,
                            words + GAM_PONG_AT / sizeof *words, 0, r->rank == 1,
                            GAM_TIMEOUT_NS, ns_out))
        return gam_rank_complain("no word from the other rank");
    return gam_rank_barrier(r);
}
