/* Task graphs by MPI, and the start of a job under mpirun.
 *
 * `mpi` is the way of Task Bench's own MPI: a message for each dependence, started before the
 * tasks of a step and awaited together, then the tasks. `mpi-gathered` has the schedule of the
 * other versions: one message for each other rank, and tasks that do not need it run while it
 * is under way. */
#include "metg_steps.h"

#include "mpi_start.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    MPI_Request *requests; /* under way */
    int count;
} mpi;

static bool check(int code, const char *what)
{
    if (code != MPI_SUCCESS)
        fprintf(stderr, "metg: MPI: %s failed\n", what);
    return code == MPI_SUCCESS;
}

/* --- messages ---------------------------------------------------------------------------- */

static bool allocate(const metg_rank *r)
{
    if (mpi.requests == NULL)
        mpi.requests = calloc(2 * METG_INPUTS_MAX * r->params.width, sizeof(MPI_Request));
    mpi.count = 0;
    if (mpi.requests == NULL)
        fprintf(stderr, "metg: no memory\n");
    return mpi.requests != NULL;
}

/* Outputs of a step that this rank reads, from the k-th of its exchange with a peer on. */
static bool receive(metg_rank *r, const metg_exchange *with, uint32_t step, uint32_t k,
                    uint32_t count)
{
    return check(
        MPI_Irecv(metg_inbox_output(&r->share.inbox, with->peer, step, with->peer_first + k),
                  (int)(count * r->params.output_bytes), MPI_BYTE, (int)with->peer, (int)k,
                  MPI_COMM_WORLD, &mpi.requests[mpi.count++]),
        "MPI_Irecv");
}

static bool send(metg_rank *r, const metg_exchange *with, uint32_t step, uint32_t k,
                 uint32_t count)
{
    return check(MPI_Isend(metg_rank_output(r, step, with->first + k),
                           (int)(count * r->params.output_bytes), MPI_BYTE, (int)with->peer,
                           (int)k, MPI_COMM_WORLD, &mpi.requests[mpi.count++]),
                 "MPI_Isend");
}

static bool wait_all(void)
{
    const int count = mpi.count;
    mpi.count = 0;
    return check(MPI_Waitall(count, mpi.requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

static bool do_nothing(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    (void)r, (void)plan, (void)step;
    return true;
}

/* --- a message for each dependence ------------------------------------------------------- */

/* The outputs of the former step. Receives are posted before any send. */
static bool exchange_singly(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    for (uint32_t i = 0; i < plan->exchange_count; i++) {
        for (uint32_t k = 0; k < plan->exchanges[i].count; k++) {
            if (!receive(r, &plan->exchanges[i], step - 1, k, 1))
                return false;
        }
    }
    for (uint32_t i = 0; i < plan->exchange_count; i++) {
        for (uint32_t k = 0; k < plan->exchanges[i].count; k++) {
            if (!send(r, &plan->exchanges[i], step - 1, k, 1))
                return false;
        }
    }
    return mpi.count == 0 || wait_all();
}

bool metg_mpi_run(metg_rank *r)
{
    static const metg_moves moves = {exchange_singly, do_nothing, do_nothing, do_nothing};
    return allocate(r) && metg_steps_run(r, &moves);
}

/* --- a message for each other rank ------------------------------------------------------- */

static bool start_gathered(metg_rank *r, const metg_plan *next, uint32_t step)
{
    for (uint32_t i = 0; i < next->exchange_count; i++) {
        const metg_exchange *with = &next->exchanges[i];
        if (!receive(r, with, step, 0, with->count) || !send(r, with, step, 0, with->count))
            return false;
    }
    return true;
}

static bool look_at_gathered(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    int have_ended;
    (void)r, (void)plan, (void)step;
    return check(MPI_Testall(mpi.count, mpi.requests, &have_ended, MPI_STATUSES_IGNORE),
                 "MPI_Testall");
}

static bool await_gathered(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    (void)r, (void)plan, (void)step;
    return wait_all();
}

bool metg_mpi_run_gathered(metg_rank *r)
{
    static const metg_moves moves = {do_nothing, look_at_gathered, await_gathered,
                                     start_gathered};
    return allocate(r) && metg_steps_run(r, &moves);
}

/* --- the job ----------------------------------------------------------------------------- */

const char *metg_mpi_missing(void)
{
    return mpi_start_has_begun() ? NULL : "started by tc-run, expected mpirun";
}

const char *metg_mpi_library(void)
{
    return mpi_start_library();
}

bool metg_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out)
{
    tc_error err = {TC_OK, ""};
    if (getenv("TC_RUN_SIZE") != NULL)
        return metg_rank_check(tc_group_join(ctx, METG_TIMEOUT_NS, group_out, &err), &err,
                               "group");
    return mpi_start_join("metg", ctx, argc, argv, group_out);
}

void metg_mpi_leave(void)
{
    free(mpi.requests);
    mpi_start_end();
}
