/* Counting by MPI: an owner serves batches of the others between its own.
 *
 * `mpi-probe` calls MPI_Iprobe and MPI_Recv. `mpi-posted` has posted receives for batches to
 * come, which MPI can fill without a copy of its own. Both send a batch by MPI_Isend and go on
 * with the next buffer. An empty message ends a rank's batches: MPI keeps the order of messages
 * between two ranks, so it comes last. */
#include "kmer_version.h"

#include "mpi_start.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define RECEIVES 32u
#define TAG 21

static struct {
    MPI_Request sends[KMER_RANKS_MAX][KMER_BUFFERS];
    MPI_Request receives[RECEIVES]; /* in the order in which they were posted, from `next` on */
    uint64_t *inbox;                /* RECEIVES batches */
    uint32_t next;
    uint32_t ended; /* ranks that send no more */
    bool is_posted;
} mpi;

static bool check(int code, const char *what)
{
    if (code != MPI_SUCCESS)
        fprintf(stderr, "kmer: MPI: %s failed\n", what);
    return code == MPI_SUCCESS;
}

/* --- batches of others ------------------------------------------------------------------- */

static bool take(kmer_rank *r, const uint64_t *words, const MPI_Status *status)
{
    int count = 0;
    if (!check(MPI_Get_count(status, MPI_UINT64_T, &count), "MPI_Get_count"))
        return false;
    mpi.ended += count == 0;
    return kmer_table_add_all(r->table, words, (uint32_t)count) || kmer_rank_is_full(r);
}

static bool post(const kmer_rank *r, uint32_t i)
{
    return check(MPI_Irecv(mpi.inbox + (uint64_t)i * KMER_BATCH_MAX, (int)r->batch,
                           MPI_UINT64_T, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &mpi.receives[i]),
                 "MPI_Irecv");
}

static bool serve_probed(kmer_rank *r)
{
    MPI_Status status;
    int is_there = 0;
    do {
        if (!check(MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &status),
                   "MPI_Iprobe"))
            return false;
        if (is_there && (!check(MPI_Recv(mpi.inbox, (int)r->batch, MPI_UINT64_T,
                                         status.MPI_SOURCE, TAG, MPI_COMM_WORLD, &status),
                                "MPI_Recv") ||
                         !take(r, mpi.inbox, &status)))
            return false;
    } while (is_there);
    return true;
}

/* Messages match receives in the order of both, so the oldest receive ends first. */
static bool serve_posted(kmer_rank *r)
{
    MPI_Status status;
    int is_there = 0;
    while (mpi.ended + 1 < r->ranks) {
        const uint32_t i = mpi.next;
        if (!check(MPI_Test(&mpi.receives[i], &is_there, &status), "MPI_Test"))
            return false;
        if (!is_there)
            return true;
        if (!take(r, mpi.inbox + (uint64_t)i * KMER_BATCH_MAX, &status) || !post(r, i))
            return false;
        mpi.next = (i + 1) % RECEIVES;
    }
    return true;
}

static bool serve(kmer_rank *r)
{
    return mpi.is_posted ? serve_posted(r) : serve_probed(r);
}

/* --- own batches ------------------------------------------------------------------------- */

/* Waits until a buffer can be filled again, serving others. */
static bool await_send(kmer_rank *r, MPI_Request *send)
{
    int has_ended = 0;
    for (;;) {
        if (!check(MPI_Test(send, &has_ended, MPI_STATUS_IGNORE), "MPI_Test"))
            return false;
        if (has_ended)
            return true;
        if (!serve(r))
            return false;
    }
}

static bool send(uint32_t owner, const uint64_t *words, uint32_t count, MPI_Request *request)
{
    return check(
        MPI_Isend(words, (int)count, MPI_UINT64_T, (int)owner, TAG, MPI_COMM_WORLD, request),
        "MPI_Isend");
}

static bool send_full(kmer_rank *r, uint32_t owner)
{
    const kmer_lane *lane = &r->lanes[owner];
    if (!send(owner, lane->words, lane->count, &mpi.sends[owner][lane->buffer]))
        return false;
    const bool has_to_look = kmer_rank_has_to_look(r, lane->count);
    kmer_lane_next(r, owner);
    return (!has_to_look || serve(r)) && await_send(r, &mpi.sends[owner][lane->buffer]);
}

/* --- a run ------------------------------------------------------------------------------- */

static bool begin(kmer_rank *r, bool is_posted)
{
    mpi.is_posted = is_posted;
    mpi.ended = mpi.next = 0;
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        for (uint32_t i = 0; i < KMER_BUFFERS; i++)
            mpi.sends[owner][i] = MPI_REQUEST_NULL;
    }
    if (mpi.inbox == NULL)
        mpi.inbox = malloc(sizeof(uint64_t) * RECEIVES * KMER_BATCH_MAX);
    if (mpi.inbox == NULL) {
        fprintf(stderr, "kmer: no memory\n");
        return false;
    }
    for (uint32_t i = 0; is_posted && i < RECEIVES; i++) {
        if (!post(r, i))
            return false;
    }
    return true;
}

/* Each lane's next buffer is free, and takes no words any more. */
static bool end(kmer_rank *r)
{
    for (uint32_t owner = 0; owner < r->ranks; owner++) {
        if (owner != r->rank &&
            !send(owner, r->lanes[owner].words, 0, &mpi.sends[owner][r->lanes[owner].buffer]))
            return false;
    }
    while (mpi.ended + 1 < r->ranks) {
        if (!serve(r))
            return false;
    }
    if (!check(MPI_Waitall((int)(r->ranks * KMER_BUFFERS), mpi.sends[0], MPI_STATUSES_IGNORE),
               "MPI_Waitall"))
        return false;
    for (uint32_t i = 0; mpi.is_posted && i < RECEIVES; i++) {
        if (!check(MPI_Cancel(&mpi.receives[i]), "MPI_Cancel") ||
            !check(MPI_Wait(&mpi.receives[i], MPI_STATUS_IGNORE), "MPI_Wait"))
            return false;
    }
    return true;
}

static bool run(kmer_rank *r, bool is_posted)
{
    return begin(r, is_posted) && kmer_rank_route(r, send_full, NULL) && end(r);
}

bool kmer_mpi_run_probe(kmer_rank *r)
{
    return run(r, false);
}

bool kmer_mpi_run_posted(kmer_rank *r)
{
    return run(r, true);
}

/* --- the job ----------------------------------------------------------------------------- */

const char *kmer_mpi_missing(void)
{
    return mpi_start_has_begun() ? NULL : "started by tc-run, expected mpirun";
}

const char *kmer_mpi_library(void)
{
    return mpi_start_library();
}

bool kmer_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out)
{
    tc_error err = {TC_OK, ""};
    if (getenv("TC_RUN_SIZE") != NULL)
        return kmer_rank_check(tc_group_join(ctx, KMER_TIMEOUT_NS, group_out, &err), &err,
                               "group");
    return mpi_start_join("kmer", ctx, argc, argv, group_out);
}

void kmer_mpi_leave(void)
{
    free(mpi.inbox);
    mpi_start_end();
}
