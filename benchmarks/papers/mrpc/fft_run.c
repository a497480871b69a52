/* FFT, an application of the paper on MRPC: a transform of rows that are first cyclic,
 * then blocked, with one exchange of chunks between all ranks in the midst.
 *
 *   tc-run -n RANKS fft_run [options]
 *
 * A rank computes the first steps on its rows of the cyclic layout, sends each other rank the
 * chunk of rows that belongs to its block, the next rank first, and computes the last steps on
 * its own block. The versions differ in how a chunk gets there:
 *
 *   window-bulk    puts into an inbox of the receiver; after a barrier the receiver spreads
 *                  it over its block
 *   view-bulk      the same by a copy into mapped memory
 *   view-scatter   stores each point right into the receiver's block; then a barrier
 *   function-bulk  messages of fft_store, which does so at the receiver, and notes the last one
 *   rpc-bulk       one call of ONC RPC, whose server does so
 *
 * Each point's results have the bits of a serial run. */
#include "fft_plan.h"
#include "mrpc_exchange.h"
#include "mrpc_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX (1u << 24)
#define PIECE_MAX (TC_WINDOW_BYTES_MAX / sizeof(fft_point)) /* points of a put */
#define MESSAGE_MAX 16384u                                  /* points of a message */
#define VERSION_NAMES "window-bulk,view-bulk,view-scatter,function-bulk,rpc-bulk"

typedef struct fft_options {
    mrpc_options common;
    uint64_t points;
} fft_options;

static const tool_option rows[] = {
    {.name = "points",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .help = "of the transform, a power of two (1048576)",
     .offset = offsetof(fft_options, points),
     .min = 4,
     .max = POINTS_MAX},
    MRPC_RUN_STEPS(fft_options, "transforms of each run (1)"),
    MRPC_RUN_OPTIONS(fft_options, VERSION_NAMES),
};

static const tool_command command = {
    .name = "fft_run",
    .usage = "[options], started by tc-run -n RANKS",
    .about = "Measures FFT of the paper on MRPC: chunks move to other ranks by one-sided\n"
             "operations (window, view), by functions and by ONC RPC.",
    .options = rows,
    .option_count = sizeof rows / sizeof rows[0],
};

typedef struct fft_rank {
    mrpc_rank base;
    fft_share share;
    fft_plan plan;
    uint64_t seed, steps;
    uint64_t count;      /* points of a rank */
    fft_point *initial;  /* this rank's rows of the cyclic layout */
    fft_point *own;      /* the same, while steps change them */
    fft_point *inbox;    /* in the window: a chunk of each rank */
    fft_point *expected; /* the serial run's results of this rank's block */
    tc_ifunc *store;
} fft_rank;

/* --- a rank ------------------------------------------------------------------------------ */

static uint64_t block_offset(void)
{
    return mrpc_rank_own_offset();
}

static uint64_t inbox_offset(const fft_rank *r, uint32_t from)
{
    return block_offset() + (r->count + from * r->share.chunk) * sizeof(fft_point);
}

static void arrange(mrpc_rank *base)
{
    fft_rank *r = (fft_rank *)base;
    r->share.block = mrpc_rank_own(base);
    r->inbox = r->share.block + r->count;
}

/* All rows are transformed here, and this rank's kept. */
static bool expect(fft_rank *r)
{
    fft_point *all = malloc(r->plan.points * sizeof *all);
    if (all == NULL)
        return false;
    for (uint64_t row = 0; row < r->plan.points; row++)
        all[row] = fft_plan_initial(r->seed, row);
    fft_plan_run_serial(&r->plan, all);
    memcpy(r->expected, all + r->base.rank * r->count, r->count * sizeof *all);
    free(all);
    return true;
}

static bool fill(fft_rank *r)
{
    r->initial = malloc(r->count * sizeof *r->initial);
    r->own = malloc(r->count * sizeof *r->own);
    r->expected = malloc(r->count * sizeof *r->expected);
    if (r->initial == NULL || r->own == NULL || r->expected == NULL)
        return false;
    for (uint64_t k = 0; k < r->count; k++)
        r->initial[k] = fft_plan_initial(r->seed, r->base.rank + r->base.ranks * k);
    return expect(r);
}

static bool create(void *state, const void *options)
{
    fft_rank *r = state;
    const fft_options *o = options;
    const uint64_t ranks = r->base.ranks;
    if ((ranks & (ranks - 1)) != 0 || (o->points & (o->points - 1)) != 0 ||
        o->points < ranks * ranks)
        return mrpc_rank_fail("%llu points at %llu ranks, expected powers of two, and as many "
                              "points as the ranks' square at least",
                              (unsigned long long)o->points, (unsigned long long)ranks);
    r->seed = o->common.seed;
    r->steps = o->common.steps;
    r->count = o->points / ranks;
    r->share.chunk = r->count / ranks;
    return mrpc_rank_has_memory(fft_plan_create(o->points, (uint32_t)ranks, &r->plan) &&
                                fill(r)) &&
           mrpc_rank_open_function(&r->base, "fft_store", &r->store) &&
           mrpc_rank_open(&r->base, 2 * r->count * sizeof(fft_point), &r->share.base, arrange);
}

static void destroy(void *state)
{
    fft_rank *r = state;
    mrpc_rank_destroy(&r->base);
    tc_ifunc_close(r->store);
    fft_plan_destroy(&r->plan);
    free(r->initial);
    free(r->own);
    free(r->expected);
}

static void reset(void *state)
{
    fft_rank *r = state;
    for (uint64_t i = 0; i < 2 * r->count; i++)
        r->share.block[i] = (fft_point){(double)NAN, (double)NAN};
}

static bool is_right(const void *state)
{
    const fft_rank *r = state;
    return memcmp(r->share.block, r->expected, r->count * sizeof(fft_point)) == 0;
}

/* --- between the layouts ----------------------------------------------------------------- */

typedef bool (*mover)(fft_rank *r, uint32_t peer, const fft_point *points);

static bool put_chunk(fft_rank *r, uint32_t peer, const fft_point *points)
{
    uint64_t offset = inbox_offset(r, r->base.rank);
    for (uint64_t sent = 0; sent < r->share.chunk;) {
        const uint64_t left = r->share.chunk - sent,
                       count = left < PIECE_MAX ? left : PIECE_MAX;
        const tc_window_step step = tc_window_step_put(mrpc_rank_at(&r->base, peer, offset),
                                                       points + sent, count * sizeof *points);
        if (!mrpc_exchange_chain(&r->base, peer, &step, 1))
            return false;
        sent += count;
        offset += count * sizeof *points;
    }
    return true;
}

static bool copy_chunk(fft_rank *r, uint32_t peer, const fft_point *points)
{
    const uint64_t bytes = r->share.chunk * sizeof *points;
    void *inbox =
        tc_window_view_at(r->base.peers[peer].view, inbox_offset(r, r->base.rank), bytes);
    if (inbox == NULL)
        return mrpc_rank_fail("an inbox outside the window");
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    memcpy(inbox, points, bytes);
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

static bool scatter_chunk(fft_rank *r, uint32_t peer, const fft_point *points)
{
    fft_point *block =
        tc_window_view_at(r->base.peers[peer].view, block_offset(), r->count * sizeof *points);
    if (block == NULL)
        return mrpc_rank_fail("a block outside the window");
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    fft_scatter(block, r->base.rank, r->base.ranks, 0, points, r->share.chunk);
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

static bool send_chunk(fft_rank *r, uint32_t peer, const fft_point *points)
{
    fft_source source = {.head = {.exchange = r->base.exchange}};
    uint64_t sent = 0;
    bool ok = true;
    while (ok && !source.head.is_last) {
        const uint64_t left = r->share.chunk - sent;
        source.points = points + sent;
        source.head.first = (uint32_t)sent;
        source.head.count = left < MESSAGE_MAX ? (uint32_t)left : MESSAGE_MAX;
        source.head.is_last = left <= MESSAGE_MAX;
        ok = mrpc_exchange_send(&r->base, peer, r->store, &source, sizeof source);
        sent += source.head.count;
    }
    return ok;
}

static bool call_chunk(fft_rank *r, uint32_t peer, const fft_point *points)
{
    const fft_head head = {.exchange = r->base.exchange,
                           .count = (uint32_t)r->share.chunk,
                           .is_last = 1,
                           .rank = r->base.rank};
    return mrpc_rpc_call(&r->base, peer, &head, sizeof head, points,
                         r->share.chunk * sizeof *points, NULL, 0);
}

static size_t serve_chunk(void *state, const void *bytes, size_t head_size, const void *body,
                          size_t body_size, void *result_out)
{
    fft_rank *r = state;
    fft_head head;
    (void)result_out;
    if (head_size != sizeof head)
        return 0;
    memcpy(&head, bytes, sizeof head);
    if (head.rank >= r->base.ranks || head.count != r->share.chunk ||
        body_size != head.count * sizeof(fft_point))
        return 0; /* the wait for the chunk then ends at its deadline */
    fft_scatter(r->share.block, head.rank, r->base.ranks, 0, body, head.count);
    __atomic_store_n(&r->share.base.arrived[head.rank], head.exchange, __ATOMIC_RELEASE);
    return 0;
}

static size_t body_max(const void *state)
{
    const fft_rank *r = state;
    return r->share.chunk * sizeof(fft_point);
}

/* The next rank first, so that not all send to one. */
static bool move_chunks(fft_rank *r, mover move)
{
    const uint32_t rank = r->base.rank, ranks = r->base.ranks;
    r->base.exchange++;
    for (uint32_t i = 1; i < ranks; i++) {
        const uint32_t peer = (rank + i) % ranks;
        if (!move(r, peer, r->own + peer * r->share.chunk))
            return false;
    }
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    fft_scatter(r->share.block, rank, ranks, 0, r->own + rank * r->share.chunk, r->share.chunk);
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

static bool empty_inbox(fft_rank *r)
{
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    for (uint32_t from = 0; from < r->base.ranks; from++) {
        if (from != r->base.rank)
            fft_scatter(r->share.block, from, r->base.ranks, 0,
                        r->inbox + from * r->share.chunk, r->share.chunk);
    }
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

static bool exchange_window_bulk(fft_rank *r)
{
    return move_chunks(r, put_chunk) && mrpc_exchange_end(&r->base) &&
           mrpc_rank_barrier(&r->base) && empty_inbox(r);
}

static bool exchange_view_bulk(fft_rank *r)
{
    return move_chunks(r, copy_chunk) && mrpc_rank_barrier(&r->base) && empty_inbox(r);
}

static bool exchange_view_scatter(fft_rank *r)
{
    return move_chunks(r, scatter_chunk) && mrpc_rank_barrier(&r->base);
}

static bool exchange_function_bulk(fft_rank *r)
{
    return move_chunks(r, send_chunk) && mrpc_exchange_await_messages(&r->base);
}

/* The serving thread stores, so tc_wait would not end. */
static bool exchange_rpc_bulk(fft_rank *r)
{
    return move_chunks(r, call_chunk) && mrpc_exchange_await_stores(&r->base);
}

/* --- versions ---------------------------------------------------------------------------- */

#define ASKED 1.3

static const mrpc_version versions[] = {
    {"window-bulk", MRPC_WINDOW, "bulk", "function-bulk", ASKED},
    {"view-bulk", MRPC_VIEW, "bulk", "function-bulk", ASKED},
    {"view-scatter", MRPC_VIEW, "scatter", "function-bulk", ASKED},
    {"function-bulk", MRPC_FUNCTION, "bulk", NULL, 0},
    {"rpc-bulk", MRPC_RPC, "bulk", "function-bulk", 0},
};

static bool (*const exchanges[])(fft_rank *r) = {exchange_window_bulk, exchange_view_bulk,
                                                 exchange_view_scatter, exchange_function_bulk,
                                                 exchange_rpc_bulk};

/* Several transforms of one run have a barrier between them: no chunk may come while a rank
 * still computes on its block. */
static bool run(void *state, unsigned version)
{
    fft_rank *r = state;
    for (uint64_t step = 0; step < r->steps; step++) {
        memcpy(r->own, r->initial, r->count * sizeof *r->own);
        fft_plan_run_cyclic(&r->plan, r->base.rank, r->own);
        if ((step > 0 && !mrpc_rank_barrier(&r->base)) || !exchanges[version](r))
            return false;
        fft_plan_run_blocked(&r->plan, r->share.block);
    }
    return true;
}

static double units(const void *state)
{
    const fft_rank *r = state;
    return 1e6 * (double)r->steps;
}

static void describe(const void *state, json_t *json)
{
    const fft_rank *r = state;
    if (json == NULL)
        printf("fft: %llu points at %u ranks, chunks of %llu bytes\n",
               (unsigned long long)r->plan.points, r->base.ranks,
               (unsigned long long)(r->share.chunk * sizeof(fft_point)));
    else
        (void)json_object_set_new(json, "points", json_integer((json_int_t)r->plan.points));
}

static const mrpc_app app = {
    .name = "fft",
    .unit = "ms_per_run",
    .state_bytes = sizeof(fft_rank),
    .versions = versions,
    .version_count = sizeof versions / sizeof versions[0],
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .serve = serve_chunk,
    .body_max = body_max,
    .run = run,
    .is_right = is_right,
    .units = units,
    .describe = describe,
};

int main(int argc, char **argv)
{
    fft_options options = {.common = {.steps = 1,
                                      .rounds = 10,
                                      .stamped = 3,
                                      .seed = 1,
                                      .versions = VERSION_NAMES},
                           .points = 1u << 20};
    return mrpc_run_main(&app, &command, &options, &options.common, argc, argv);
}
