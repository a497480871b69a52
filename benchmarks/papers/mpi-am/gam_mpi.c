/* The operations by MPI: a server of messages, windows, and accumulations.
 *
 *   mpi-server        a message with all segments, and one with all outputs
 *   mpi-server-each   a message for each segment, each awaited
 *   mpi-server-many   a message for each segment, 64 under way at once
 *   mpi-window        MPI_Win_lock, get, compute, put, MPI_Win_unlock, in a window of
 *                     MPI_Win_allocate
 *   mpi-accumulate    MPI_Get_accumulate, or MPI_Accumulate where there is no output
 *
 * NAME-created has a window of MPI_Win_create, whose memory other ranks cannot map. While
 * others ask, rank 0 waits in a barrier of MPI, so that MPI can make progress. */
#include "gam_mpi.h"

#include "gam_compute.h"
#include "gam_rank.h"
#include "mpi_start.h"
#include "perf_clock.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE 0u
#define SUMS 1u
#define ALL "search,sum,accumulate"

typedef struct gam_windows {
    MPI_Win wins[2];
    void *memory[2];
} gam_windows;

static struct {
    gam_windows allocated, created;
    MPI_Request sends[GAM_SLOTS_AT_ONCE], receives[GAM_SLOTS_AT_ONCE];
    bool is_open;
} mpi;

static bool check(int code, const char *what)
{
    if (code != MPI_SUCCESS)
        fprintf(stderr, "mpi-am-bench: MPI: %s failed\n", what);
    return code == MPI_SUCCESS;
}

static bool barrier(void)
{
    return check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

/* The clock of an origin runs between the barriers. */
static bool begin(gam_rank *r)
{
    const bool ok = barrier();
    r->began_ns = perf_now_ns();
    return ok;
}

static bool end(gam_rank *r)
{
    r->ended_ns = perf_now_ns();
    return barrier();
}

/* --- windows ----------------------------------------------------------------------------- */

static MPI_Aint window_bytes(const gam_rank *r, unsigned i)
{
    return r->rank != 0 ? 0 : (MPI_Aint)(i == TABLE ? sizeof(gam_table) : GAM_SUMS_BYTES);
}

static bool open_windows(const gam_rank *r)
{
    for (unsigned i = 0; i < 2; i++) {
        const MPI_Aint bytes = window_bytes(r, i);
        mpi.created.memory[i] = bytes > 0 ? calloc(1, (size_t)bytes) : NULL;
        if (bytes > 0 && mpi.created.memory[i] == NULL)
            return gam_rank_complain("no memory");
        if (!check(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                    &mpi.allocated.memory[i], &mpi.allocated.wins[i]),
                   "MPI_Win_allocate") ||
            !check(MPI_Win_create(mpi.created.memory[i], bytes, 1, MPI_INFO_NULL,
                                  MPI_COMM_WORLD, &mpi.created.wins[i]),
                   "MPI_Win_create"))
            return false;
    }
    if (r->rank == 0) {
        memcpy(mpi.allocated.memory[TABLE], &r->table, sizeof r->table);
        memcpy(mpi.created.memory[TABLE], &r->table, sizeof r->table);
    }
    mpi.is_open = true;
    return barrier();
}

static void close_windows(void)
{
    for (unsigned i = 0; mpi.is_open && i < 2; i++) {
        (void)MPI_Win_free(&mpi.allocated.wins[i]);
        (void)MPI_Win_free(&mpi.created.wins[i]);
        free(mpi.created.memory[i]);
    }
}

/* Sums are compared where the other ways have them. */
static bool wait_at_target(gam_rank *r, const gam_case *c, const gam_windows *windows)
{
    const int lock = MPI_LOCK_SHARED;
    (void)c;
    if (r->rank != 0)
        return barrier();
    if (r->is_warming_up)
        memset((char *)windows->memory[SUMS] + GAM_SUMS_AT, 0, GAM_SUMS_BYTES - GAM_SUMS_AT);
    if (!check(MPI_Win_lock(lock, 0, 0, windows->wins[SUMS]), "MPI_Win_lock") ||
        !check(MPI_Win_unlock(0, windows->wins[SUMS]), "MPI_Win_unlock") || !barrier() ||
        !barrier())
        return false;
    (void)MPI_Win_lock(lock, 0, 0, windows->wins[SUMS]);
    memcpy(r->share.sums, (char *)windows->memory[SUMS] + GAM_SUMS_AT,
           GAM_SUMS_BYTES - GAM_SUMS_AT);
    (void)MPI_Win_unlock(0, windows->wins[SUMS]);
    return true;
}

static MPI_Aint sums_at(const gam_rank *r)
{
    return (MPI_Aint)(GAM_SUMS_AT + sizeof(int32_t) * GAM_SUMS_OF_ORIGIN * (r->rank - 1));
}

static void search_window(const gam_case *c, const gam_slot *slot, MPI_Win win)
{
    static char buckets[GAM_SEGMENTS][GAM_SLOTS][GAM_STRING_BYTES];
    const char *asked = slot->input;
    char *found = slot->output;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    for (uint32_t i = 0; i < c->segments; i++)
        MPI_Get(buckets[i], GAM_BUCKET_BYTES, MPI_BYTE, 0,
                (MPI_Aint)gam_bucket(asked + (size_t)i * GAM_STRING_BYTES) *
                    (MPI_Aint)GAM_BUCKET_BYTES,
                GAM_BUCKET_BYTES, MPI_BYTE, win);
    MPI_Win_unlock(0, win);
    for (uint32_t i = 0; i < c->segments; i++)
        gam_search_bucket((const char(*)[GAM_STRING_BYTES])buckets[i],
                          asked + (size_t)i * GAM_STRING_BYTES,
                          found + (size_t)i * GAM_STRING_BYTES);
}

static void sum_window(const gam_rank *r, const gam_case *c, const gam_slot *slot, MPI_Win win)
{
    static int32_t sums[GAM_SUMS_OF_ORIGIN];
    const int count = (int)(c->segments * c->values);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(sums, count, MPI_INT32_T, 0, sums_at(r), count, MPI_INT32_T, win);
    MPI_Win_flush(0, win);
    gam_compute_sum(sums, slot->input, gam_case_out(c) > 0 ? slot->output : NULL,
                    (uint32_t)count);
    MPI_Put(sums, count, MPI_INT32_T, 0, sums_at(r), count, MPI_INT32_T, win);
    MPI_Win_unlock(0, win);
}

static bool ask_window(gam_rank *r, const gam_case *c, const gam_windows *windows)
{
    if (!begin(r))
        return false;
    for (uint32_t n = 0; n < c->messages; n++) {
        const gam_slot *slot = gam_rank_slot(r, n);
        if (c->operation == GAM_SEARCH)
            search_window(c, slot, windows->wins[TABLE]);
        else
            sum_window(r, c, slot, windows->wins[SUMS]);
    }
    return end(r);
}

/* Absolute values are taken here, and added there. */
static bool ask_accumulations(gam_rank *r, const gam_case *c, const gam_windows *windows)
{
    static int32_t values[GAM_SUMS_OF_ORIGIN];
    const int count = (int)(c->segments * c->values);
    MPI_Win win = windows->wins[SUMS];
    if (!begin(r))
        return false;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    for (uint32_t n = 0; n < c->messages; n++) {
        const gam_slot *slot = gam_rank_slot(r, n);
        const int32_t *input = slot->input;
        int32_t *output = slot->output;
        gam_compute_absolute(input, values, (uint32_t)count);
        if (gam_case_out(c) == 0)
            MPI_Accumulate(values, count, MPI_INT32_T, 0, sums_at(r), count, MPI_INT32_T,
                           MPI_SUM, win);
        else
            MPI_Get_accumulate(values, count, MPI_INT32_T, output, count, MPI_INT32_T, 0,
                               sums_at(r), count, MPI_INT32_T, MPI_SUM, win);
        MPI_Win_flush(0, win);
        for (int k = 0; gam_case_out(c) > 0 && k < count; k++)
            output[k] += values[k];
    }
    MPI_Win_unlock(0, win);
    return end(r);
}

static bool target_allocated(gam_rank *r, const gam_case *c)
{
    return wait_at_target(r, c, &mpi.allocated);
}

static bool target_created(gam_rank *r, const gam_case *c)
{
    return wait_at_target(r, c, &mpi.created);
}

static bool window_allocated(gam_rank *r, const gam_case *c)
{
    return ask_window(r, c, &mpi.allocated);
}

static bool window_created(gam_rank *r, const gam_case *c)
{
    return ask_window(r, c, &mpi.created);
}

static bool accumulate_allocated(gam_rank *r, const gam_case *c)
{
    return ask_accumulations(r, c, &mpi.allocated);
}

static bool accumulate_created(gam_rank *r, const gam_case *c)
{
    return ask_accumulations(r, c, &mpi.created);
}

/* --- a server ---------------------------------------------------------------------------- */

/* Its tag is the number of a message's first segment. */
static void serve_message(const gam_rank *r, const gam_case *c, const void *input, void *output,
                          const MPI_Status *from, int bytes)
{
    const uint32_t segments = (uint32_t)bytes / gam_case_in(c);
    const size_t first =
        (size_t)(from->MPI_SOURCE - 1) * GAM_SUMS_OF_ORIGIN + (size_t)from->MPI_TAG * c->values;
    if (c->operation == GAM_SEARCH)
        gam_search(r->share.table, input, output, segments);
    else
        gam_compute_sum(r->share.sums + first, input, gam_case_out(c) > 0 ? output : NULL,
                        segments * c->values);
    MPI_Send(output, (int)(segments * gam_case_out(c)), MPI_BYTE, from->MPI_SOURCE,
             from->MPI_TAG, MPI_COMM_WORLD);
}

static bool serve(gam_rank *r, const gam_case *c, uint32_t messages)
{
    static int32_t input[GAM_SUMS_OF_ORIGIN], output[GAM_SUMS_OF_ORIGIN];
    if (r->rank != 0)
        return barrier();
    if (!barrier())
        return false;
    for (uint64_t n = 0; n < (uint64_t)messages * c->origins; n++) {
        MPI_Status status;
        int bytes;
        MPI_Recv(input, sizeof input, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        serve_message(r, c, input, output, &status, bytes);
    }
    return barrier();
}

static bool serve_gathered(gam_rank *r, const gam_case *c)
{
    return serve(r, c, c->messages);
}

static bool serve_segments(gam_rank *r, const gam_case *c)
{
    return serve(r, c, c->messages * c->segments);
}

/* A message with `segments` of them, from the first one of a slot on. */
static void start_message(const gam_case *c, const gam_slot *slot, uint32_t first,
                          uint32_t segments, unsigned at)
{
    const size_t in = gam_case_in(c), out = gam_case_out(c);
    MPI_Irecv((char *)slot->output + first * out, (int)(segments * out), MPI_BYTE, 0,
              (int)first, MPI_COMM_WORLD, &mpi.receives[at]);
    MPI_Isend((char *)slot->input + first * in, (int)(segments * in), MPI_BYTE, 0, (int)first,
              MPI_COMM_WORLD, &mpi.sends[at]);
}

static void await_message(unsigned at)
{
    MPI_Wait(&mpi.receives[at], MPI_STATUS_IGNORE);
    MPI_Wait(&mpi.sends[at], MPI_STATUS_IGNORE);
}

/* Messages of `part` segments each, `at_once` under way. */
static bool ask_server(gam_rank *r, const gam_case *c, uint32_t part, uint32_t at_once)
{
    const uint32_t parts = c->segments / part, count = c->messages * parts;
    if (!begin(r))
        return false;
    for (uint32_t i = 0; i < count + at_once; i++) {
        const uint32_t n = i / parts, first = i % parts * part;
        if (i >= at_once && i - at_once < count)
            await_message(i % at_once);
        if (i < count)
            start_message(c, gam_rank_slot(r, n), first, part, i % at_once);
        if (c->is_awaited && i < count && first + part == c->segments) {
            for (uint32_t k = parts < at_once ? parts : at_once; k-- > 0;)
                await_message((i - k) % at_once);
        }
    }
    return end(r);
}

/* One at a time by plain sends and receives, as such servers are written. */
static bool ask_singly(gam_rank *r, const gam_case *c, uint32_t part)
{
    const size_t in = gam_case_in(c), out = gam_case_out(c);
    if (!begin(r))
        return false;
    for (uint32_t n = 0; n < c->messages; n++) {
        const gam_slot *slot = gam_rank_slot(r, n);
        for (uint32_t first = 0; first < c->segments; first += part) {
            MPI_Send((char *)slot->input + first * in, (int)(part * in), MPI_BYTE, 0,
                     (int)first, MPI_COMM_WORLD);
            MPI_Recv((char *)slot->output + first * out, (int)(part * out), MPI_BYTE, 0,
                     (int)first, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return end(r);
}

static bool ask_gathered(gam_rank *r, const gam_case *c)
{
    return c->is_awaited ? ask_singly(r, c, c->segments)
                         : ask_server(r, c, c->segments, GAM_SLOTS_AT_ONCE);
}

static bool ask_each(gam_rank *r, const gam_case *c)
{
    return ask_singly(r, c, 1);
}

static bool ask_many(gam_rank *r, const gam_case *c)
{
    return ask_server(r, c, 1, GAM_SLOTS_AT_ONCE);
}

static const gam_way ways[] = {
    {"mpi-server", GAM_MPI, ask_gathered, serve_gathered, ALL},
    {"mpi-server-each", GAM_MPI, ask_each, serve_segments, ALL},
    {"mpi-server-many", GAM_MPI, ask_many, serve_segments, ALL},
    {"mpi-window", GAM_MPI, window_allocated, target_allocated, ALL},
    {"mpi-window-created", GAM_MPI, window_created, target_created, ALL},
    {"mpi-accumulate", GAM_MPI, accumulate_allocated, target_allocated, "sum,accumulate"},
    {"mpi-accumulate-created", GAM_MPI, accumulate_created, target_created, "sum,accumulate"},
};

const gam_way *const gam_mpi_ways[] = {&ways[0], &ways[1], &ways[2], &ways[3],
                                       &ways[4], &ways[5], &ways[6], NULL};

/* --- the job ----------------------------------------------------------------------------- */

const char *gam_mpi_library(void)
{
    return mpi_start_library();
}

bool gam_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out)
{
    return mpi_start_join("am", ctx, argc, argv, group_out);
}

bool gam_mpi_open(gam_rank *r)
{
    return open_windows(r);
}

void gam_mpi_leave(void)
{
    close_windows();
    mpi_start_end();
}
