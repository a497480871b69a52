/* Blocked LU, an application of the paper on MRPC: a dense matrix is factored, block by block.
 *
 *   tc-run -n RANKS lu_run [options]
 *
 * In each step the owner of the pivot block factors it and stores it at all others. Ranks then
 * divide their blocks in the pivot's row and column by it, and subtract products of these from
 * all blocks below and to the right, for which they need such blocks of others:
 *
 *   fetch  after a barrier each rank gets those that it needs, as the paper's programs do
 *   push   each rank stores its own at the ranks that need them, and a mark behind them: no
 *          barrier
 *
 * Blocks that another rank needs are final, so a rank may be steps ahead of others. Own blocks
 * are compared with those of a serial run, bit by bit. */
#include "lu_rank.h"
#include "mrpc_exchange.h"
#include "mrpc_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_ROWS 2048u
#define VERSION_NAMES                                                                          \
    "window-fetch,view-fetch,function-fetch,window-push,view-push,function-push"

typedef struct lu_options {
    mrpc_options common;
    uint64_t size;
} lu_options;

static const tool_option option_rows[] = {
    {.name = "size",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "rows of the matrix, a multiple of 16 (512)",
     .offset = offsetof(lu_options, size),
     .min = LU_SIDE,
     .max = SIZE_MAX_ROWS},
    MRPC_RUN_OPTIONS(lu_options, VERSION_NAMES),
};

static const tool_command command = {
    .name = "lu_run",
    .usage = "[options], started by tc-run -n RANKS",
    .about = "Measures blocked LU of the paper on MRPC: blocks of other ranks by one-sided\n"
             "operations (window, view) and by functions.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
};

/* --- a rank ------------------------------------------------------------------------------ */

static void arrange(mrpc_rank *base)
{
    lu_rank *r = (lu_rank *)base;
    r->share.blocks = mrpc_rank_own(base);
    r->share.count = r->rows * r->rows;
}

static bool fill(lu_rank *r, uint64_t seed)
{
    const size_t count = (size_t)r->rows * r->rows;
    r->initial = malloc(count * sizeof *r->initial);
    r->expected = malloc(count * sizeof *r->expected);
    if (r->initial == NULL || r->expected == NULL)
        return false;
    for (uint32_t row = 0; row < r->rows; row++) {
        for (uint32_t column = 0; column < r->rows; column++)
            lu_matrix_initial(seed, r->rows, row, column,
                              &r->initial[lu_rank_slot(r, row, column)]);
    }
    memcpy(r->expected, r->initial, count * sizeof *r->initial);
    lu_matrix_run_serial(r->expected, r->rows);
    return true;
}

static bool create(void *state, const void *options)
{
    lu_rank *r = state;
    const lu_options *o = options;
    if (o->size % LU_SIDE != 0)
        return mrpc_rank_fail("a size of %llu, expected a multiple of %u",
                              (unsigned long long)o->size, LU_SIDE);
    r->rows = (uint32_t)o->size / LU_SIDE;
    for (uint32_t down = 1; down * down <= r->base.ranks; down++) {
        if (r->base.ranks % down == 0)
            r->down = down;
    }
    r->over = r->base.ranks / r->down;
    return mrpc_rank_has_memory(fill(r, o->common.seed)) &&
           mrpc_rank_open_function(&r->base, "lu_read", &r->read) &&
           mrpc_rank_open_function(&r->base, "lu_store", &r->store) &&
           mrpc_rank_open(&r->base, (uint64_t)r->rows * r->rows * sizeof(lu_block),
                          &r->share.base, arrange);
}

static void destroy(void *state)
{
    lu_rank *r = state;
    mrpc_rank_destroy(&r->base);
    tc_ifunc_close(r->read);
    tc_ifunc_close(r->store);
    free(r->initial);
    free(r->expected);
}

static bool is_own(const lu_rank *r, uint32_t slot)
{
    return lu_rank_owner(r, slot / r->rows, slot % r->rows) == r->base.rank;
}

static void reset(void *state)
{
    lu_rank *r = state;
    for (uint32_t slot = 0; slot < r->share.count; slot++) {
        lu_block *block = &r->share.blocks[slot];
        for (uint32_t i = 0; i < LU_SIDE * LU_SIDE; i++)
            block->at[i / LU_SIDE][i % LU_SIDE] = (double)NAN;
        if (is_own(r, slot))
            *block = r->initial[slot];
    }
}

static bool is_right(const void *state)
{
    const lu_rank *r = state;
    for (uint32_t slot = 0; slot < r->share.count; slot++) {
        if (is_own(r, slot) &&
            memcmp(&r->share.blocks[slot], &r->expected[slot], sizeof(lu_block)) != 0)
            return false;
    }
    return true;
}

/* --- a step ------------------------------------------------------------------------------ */

/* Marks of step k: its pivot, and all that its owner pushes. */
static uint64_t pivot_mark(const lu_rank *r, uint32_t k)
{
    return r->base.exchange + 2 * k + 1;
}

static bool share_pivot(lu_rank *r, const lu_way *way, uint32_t k)
{
    const uint32_t slot = lu_rank_slot(r, k, k), owner = lu_rank_owner(r, k, k);
    if (owner != r->base.rank)
        return way->await(&r->base, owner, pivot_mark(r, k));
    lu_matrix_factor(&r->share.blocks[slot]);
    for (uint32_t i = 1; i < r->base.ranks; i++) {
        if (!way->store(r, (r->base.rank + i) % r->base.ranks, &slot, 1, pivot_mark(r, k)))
            return false;
    }
    return true;
}

static void divide(lu_rank *r, uint32_t k)
{
    lu_block *blocks = r->share.blocks;
    const lu_block *pivot = &blocks[lu_rank_slot(r, k, k)];
    for (uint32_t i = k + 1; i < r->rows; i++) {
        if (lu_rank_owner(r, i, k) == r->base.rank)
            lu_matrix_divide_column(&blocks[lu_rank_slot(r, i, k)], pivot);
        if (lu_rank_owner(r, k, i) == r->base.rank)
            lu_matrix_divide_row(&blocks[lu_rank_slot(r, k, i)], pivot);
    }
}

/* Return true if a rank has blocks below and to the right that need the one in row i of the
 * pivot's column, and the one in column i of its row. */
static bool needs_column(const lu_rank *r, uint32_t rank, uint32_t i)
{
    return i % r->down == rank / r->over;
}

static bool needs_row(const lu_rank *r, uint32_t rank, uint32_t i)
{
    return i % r->over == rank % r->over;
}

static bool fetch_block(lu_rank *r, const lu_way *way, uint32_t row, uint32_t column)
{
    const uint32_t owner = lu_rank_owner(r, row, column);
    return owner == r->base.rank || way->fetch(r, owner, lu_rank_slot(r, row, column));
}

static bool fetch_divided(lu_rank *r, const lu_way *way, uint32_t k)
{
    const uint32_t rank = r->base.rank;
    if (!mrpc_rank_barrier(&r->base))
        return false;
    for (uint32_t i = k + 1; i < r->rows; i++) {
        if ((needs_column(r, rank, i) && !fetch_block(r, way, i, k)) ||
            (needs_row(r, rank, i) && !fetch_block(r, way, k, i)))
            return false;
    }
    return mrpc_exchange_end(&r->base);
}

static bool push_to(lu_rank *r, const lu_way *way, uint32_t peer, uint32_t k)
{
    uint32_t slots[2 * SIZE_MAX_ROWS / LU_SIDE], count = 0;
    for (uint32_t i = k + 1; i < r->rows; i++) {
        if (needs_column(r, peer, i) && lu_rank_owner(r, i, k) == r->base.rank)
            slots[count++] = lu_rank_slot(r, i, k);
        if (needs_row(r, peer, i) && lu_rank_owner(r, k, i) == r->base.rank)
            slots[count++] = lu_rank_slot(r, k, i);
    }
    return way->store(r, peer, slots, count, pivot_mark(r, k) + 1);
}

static bool push_divided(lu_rank *r, const lu_way *way, uint32_t k)
{
    bool ok = true;
    for (uint32_t i = 1; ok && i < r->base.ranks; i++)
        ok = push_to(r, way, (r->base.rank + i) % r->base.ranks, k);
    for (uint32_t i = 1; ok && i < r->base.ranks; i++)
        ok = way->await(&r->base, (r->base.rank + i) % r->base.ranks, pivot_mark(r, k) + 1);
    return ok;
}

/* Others may still fetch blocks of this rank, which its progress serves. */
static void serve(lu_rank *r)
{
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_NET);
    (void)tc_progress(r->base.ctx);
    (void)mrpc_stamps_enter(&r->base.stamps, before);
}

static void update(lu_rank *r, uint32_t k, bool serves)
{
    lu_block *blocks = r->share.blocks;
    for (uint32_t i = k + 1; i < r->rows; i++) {
        if (serves)
            serve(r);
        for (uint32_t j = k + 1; j < r->rows; j++) {
            if (lu_rank_owner(r, i, j) == r->base.rank)
                lu_matrix_update(&blocks[lu_rank_slot(r, i, j)], &blocks[lu_rank_slot(r, i, k)],
                                 &blocks[lu_rank_slot(r, k, j)]);
        }
    }
}

/* --- versions ---------------------------------------------------------------------------- */

#define ASKED 1.3

static const mrpc_version versions[] = {
    {"window-fetch", MRPC_WINDOW, "fetch", "function-fetch", ASKED},
    {"view-fetch", MRPC_VIEW, "fetch", "function-fetch", ASKED},
    {"function-fetch", MRPC_FUNCTION, "fetch", NULL, 0},
    {"window-push", MRPC_WINDOW, "push", "function-push", ASKED},
    {"view-push", MRPC_VIEW, "push", "function-push", ASKED},
    {"function-push", MRPC_FUNCTION, "push", NULL, 0},
};

static bool run(void *state, unsigned version)
{
    static const lu_way *const ways[] = {[MRPC_WINDOW] = &lu_rank_window,
                                         [MRPC_VIEW] = &lu_rank_view,
                                         [MRPC_FUNCTION] = &lu_rank_function};
    lu_rank *r = state;
    const lu_way *way = ways[versions[version].way];
    const bool pushes = strcmp(versions[version].method, "push") == 0;
    for (uint32_t k = 0; k < r->rows; k++) {
        if (!share_pivot(r, way, k))
            return false;
        divide(r, k);
        if (!(pushes ? push_divided(r, way, k) : fetch_divided(r, way, k)))
            return false;
        update(r, k, !pushes && way != &lu_rank_view);
    }
    r->base.exchange += 2 * r->rows;
    return true;
}

static double units(const void *state)
{
    (void)state;
    return 1e6;
}

static void describe(const void *state, json_t *json)
{
    const lu_rank *r = state;
    const uint32_t size = r->rows * LU_SIDE;
    if (json == NULL)
        printf("lu: %u by %u numbers in blocks of %u by %u, at %u by %u ranks\n", size, size,
               LU_SIDE, LU_SIDE, r->down, r->over);
    else
        (void)json_object_set_new(json, "size", json_integer(size));
}

static const mrpc_app app = {
    .name = "lu",
    .unit = "ms_per_run",
    .state_bytes = sizeof(lu_rank),
    .versions = versions,
    .version_count = sizeof versions / sizeof versions[0],
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .run = run,
    .is_right = is_right,
    .units = units,
    .describe = describe,
};

int main(int argc, char **argv)
{
    lu_options options = {.common = {.steps = 1,
                                     .rounds = 10,
                                     .stamped = 3,
                                     .seed = 1,
                                     .versions = VERSION_NAMES},
                          .size = 512};
    return mrpc_run_main(&app, &command, &options, &options.common, argc, argv);
}
