/* The cost of a function that runs when a request of MPI completes (<tc/mpi_continue.h>),
 * beside a loop of MPI_Test that sends by hand, and beside MPI alone. One process sends to
 * itself, by MPI and then by this library:
 *
 *   mpirun -n 1 continue_cost [ROUNDS]
 *
 * The ways take turns, and each round has many batches of receives. Prints nanoseconds for each
 * receive, from the posting of a batch until its functions have run: the median of the rounds,
 * and the least. */
#include "perf_clock.h"
#include "perf_stats.h"

#include <tc/mpi_continue.h>
#include <tc/tc.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH_MAX 512u
#define RECEIVES 20480u /* of a round */
#define ROUNDS_MAX 1000u
#define PROGRAM "continue_cost"

static struct {
    tc_context *ctx;
    tc_group *group;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_mpi_continuations set;
    MPI_Request receives[BATCH_MAX], sends[BATCH_MAX];
    uint64_t in[BATCH_MAX], out[BATCH_MAX];
    uint64_t ran; /* functions */
    tc_error err;
} job;

static bool check(tc_status status, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, PROGRAM ": %s: %s: %s\n", what, tc_status_name(status), job.err.text);
    return status == TC_OK;
}

static void run_here(void *payload, size_t size, void *unused)
{
    (void)payload, (void)size, (void)unused;
    job.ran++;
}

/* --- the ways ---------------------------------------------------------------------------- */

/* Waits without sending. */
static bool wait_alone(unsigned batch)
{
    for (unsigned i = 0; i < batch; i++) {
        int is_there = 0;
        while (!is_there)
            MPI_Test(&job.receives[i], &is_there, MPI_STATUS_IGNORE);
    }
    job.ran += batch;
    return true;
}

static bool send_by_hand(unsigned batch)
{
    for (unsigned i = 0; i < batch; i++) {
        int is_there = 0;
        tc_status status;
        while (!is_there)
            MPI_Test(&job.receives[i], &is_there, MPI_STATUS_IGNORE);
        while ((status = tc_send(job.ep, job.fn, &job.in[i], 8)) == TC_E_AGAIN)
            (void)tc_progress(job.ctx);
        if (!check(status, "tc_send"))
            return false;
    }
    return true;
}

static bool add(unsigned i, tc_ep *ep, const tc_mpi_continue_params *params)
{
    return check(tc_mpi_continue(&job.set, &job.receives[i], ep, job.fn, &job.in[i], 8, params,
                                 &job.err),
                 "tc_mpi_continue");
}

static bool progress_all(void)
{
    while (tc_mpi_continuations_count(&job.set) != 0) {
        if (!check(tc_mpi_continuations_progress(&job.set, &job.err), "progress"))
            return false;
        (void)tc_progress(job.ctx);
    }
    return true;
}

static bool send_by_continuations(unsigned batch)
{
    for (unsigned i = 0; i < batch; i++) {
        if (!add(i, job.ep, NULL))
            return false;
    }
    return progress_all();
}

/* The same, to a rank by its number. */
static bool send_by_rank(unsigned batch)
{
    const tc_mpi_continue_params params = {.group = job.group};
    for (unsigned i = 0; i < batch; i++) {
        if (!add(i, NULL, &params))
            return false;
    }
    return progress_all();
}

static const struct way {
    const char *name;
    bool (*run)(unsigned batch);
} ways[] = {{"MPI_Test alone", wait_alone},
            {"MPI_Test, tc_send", send_by_hand},
            {"continuation", send_by_continuations},
            {"continuation, rank", send_by_rank}};
#define WAYS (sizeof ways / sizeof ways[0])

/* --- rounds ------------------------------------------------------------------------------ */

static bool run_batch(const struct way *way, unsigned batch)
{
    const uint64_t until = job.ran + batch;
    for (unsigned i = 0; i < batch; i++)
        MPI_Irecv(&job.in[i], 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &job.receives[i]);
    for (unsigned i = 0; i < batch; i++)
        MPI_Isend(&job.out[i], 8, MPI_BYTE, 0, 0, MPI_COMM_SELF, &job.sends[i]);
    if (!way->run(batch))
        return false;
    while (job.ran < until)
        (void)tc_progress(job.ctx);
    for (unsigned i = 0; i < batch; i++)
        MPI_Wait(&job.sends[i], MPI_STATUS_IGNORE);
    return true;
}

static bool run_round(const struct way *way, unsigned batch, double *ns_out)
{
    const uint64_t begin_ns = perf_now_ns();
    for (unsigned n = 0; n < RECEIVES; n += batch) {
        if (!run_batch(way, batch))
            return false;
    }
    *ns_out = (double)(perf_now_ns() - begin_ns) / RECEIVES;
    return true;
}

static bool measure(unsigned batch, unsigned rounds)
{
    static double ns[WAYS][ROUNDS_MAX];
    for (unsigned way = 0; way < WAYS; way++) { /* the first messages connect */
        if (!run_round(&ways[way], batch, &ns[way][0]))
            return false;
    }
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned way = 0; way < WAYS; way++) {
            if (!run_round(&ways[way], batch, &ns[way][round]))
                return false;
        }
    }
    for (unsigned way = 0; way < WAYS; way++) {
        const double median = perf_stats_median(ns[way], rounds);
        printf("%6u  %-20s%10.1f%10.1f\n", batch, ways[way].name, median, ns[way][0]);
    }
    return true;
}

static bool start(void)
{
    if (!check(tc_context_create(NULL, &job.ctx, &job.err), "context") ||
        !check(tc_group_create_mpi(job.ctx, MPI_COMM_SELF, NULL, &job.group, &job.err),
               "group") ||
        !check(tc_group_ep(job.group, 0, &job.ep, &job.err), "endpoint") ||
        !check(tc_ifunc_open(job.ctx, "tsi", &job.fn, &job.err), "tsi") ||
        !check(tc_ifunc_use_local(job.fn, run_here, &job.err), "tsi"))
        return false;
    return check(tc_mpi_continuations_init(&job.set, job.ctx, BATCH_MAX, &job.err), "set") &&
           check(tc_group_connect(job.group, TC_SECONDS(10), &job.err), "connect");
}

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
    bool ok = rounds >= 1 && rounds <= ROUNDS_MAX;
    if (!ok) {
        fprintf(stderr, "usage: " PROGRAM " [ROUNDS], 1 to %u\n", ROUNDS_MAX);
        return 2;
    }
    MPI_Init(&argc, &argv);
    ok = start();
    if (ok)
        printf("%6s  %-20s%10s%10s\n", "batch", "ns for each receive", "median", "least");
    for (unsigned batch = 1; ok && batch <= BATCH_MAX; batch *= 8)
        ok = measure(batch, rounds);
    (void)tc_mpi_continuations_fini(&job.set);
    tc_context_destroy(job.ctx);
    MPI_Finalize();
    return ok ? 0 : 1;
}
