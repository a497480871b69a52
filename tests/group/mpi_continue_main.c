/* Continuations of MPI requests: rank 0 sends by MPI, rank 1 has the requests, and functions
 * run at rank 1 and at rank 2. Started by mpirun with at least three processes. */
#include "mpi_continue_job.h"

#include <stdbool.h>
#include <stdlib.h>

#define MESSAGES 600u
#define WINDOW 8u
#define BYTES_MAX 3000u
#define STREAM_TAG 1
#define CREDIT_MESSAGES 3000u
#define CREDIT_BYTES 1024u

continue_job job;

static size_t bytes_of(uint32_t n)
{
    return sizeof(tally_message) + n * 37 % (BYTES_MAX - sizeof(tally_message));
}

/* --- a stream of messages, handed on to a third rank ------------------------------------- */

typedef struct slot {
    tc_mpi_continuations *set;
    unsigned char bytes[BYTES_MAX];
    uint32_t *posted;
} slot;

static void post(slot *s);

static void post_next(void *user, const tc_mpi_outcome *outcome)
{
    slot *s = user;
    EXPECT(outcome->status == TC_OK && outcome->request == MPI_REQUEST_NULL);
    EXPECT(outcome->result->MPI_SOURCE == 0 && outcome->text[0] == '\0');
    if (*s->posted < MESSAGES)
        post(s);
}

static void post(slot *s)
{
    const tc_mpi_continue_params params = {.done = post_next, .user = s, .received = 1};
    MPI_Request request;
    ++*s->posted;
    EXPECT(MPI_Irecv(s->bytes, BYTES_MAX, MPI_BYTE, 0, STREAM_TAG, job.comm, &request) ==
           MPI_SUCCESS);
    EXPECT(continue_at(s->set, &request, 2, s->bytes, BYTES_MAX, &params) == TC_OK);
    EXPECT(request == MPI_REQUEST_NULL);
}

static void send_stream(void)
{
    static unsigned char bytes[BYTES_MAX];
    for (uint32_t n = 0; n < MESSAGES; n++) {
        fill(bytes, FROM_STREAM, n, bytes_of(n));
        EXPECT(MPI_Send(bytes, (int)bytes_of(n), MPI_BYTE, 1, STREAM_TAG, job.comm) ==
               MPI_SUCCESS);
    }
}

static void hand_on_stream(void)
{
    static slot slots[WINDOW];
    tc_mpi_continuations set;
    uint32_t posted = 0;
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, WINDOW, &job.err) == TC_OK);
    for (unsigned i = 0; i < WINDOW; i++) {
        slots[i].set = &set;
        slots[i].posted = &posted;
        post(&slots[i]);
    }
    EXPECT(tc_mpi_continuations_count(&set) == WINDOW);
    EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
    EXPECT(posted == MESSAGES && tc_mpi_continuations_count(&set) == 0);
    EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
}

static void check_third_rank(void)
{
    if (job.rank == 0)
        send_stream();
    if (job.rank == 1)
        hand_on_stream();
    if (job.rank == 2)
        await_functions(FROM_STREAM, MESSAGES);
    barrier();
}

/* --- this rank, and the order ------------------------------------------------------------ */

static void check_own_rank(void)
{
    static unsigned char in[BYTES_MAX], out[BYTES_MAX];
    tc_mpi_continuations set;
    MPI_Request requests[2];
    if (job.rank != 1)
        return;
    fill(out, FROM_OWN, OWN_SENT, bytes_of(5));
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, 0, &job.err) == TC_OK);
    EXPECT(MPI_Irecv(in, BYTES_MAX, MPI_BYTE, 1, 2, job.comm, &requests[0]) == MPI_SUCCESS);
    EXPECT(continue_at(&set, &requests[0], 1, in, bytes_of(5), NULL) == TC_OK);
    EXPECT(tc_mpi_continuations_wait(&set, 0, &job.err) == TC_E_TIMEOUT);
    EXPECT(tc_mpi_continuations_fini(&set) == TC_E_BUSY && job.seen[FROM_OWN] == 0);
    EXPECT(MPI_Isend(out, (int)bytes_of(5), MPI_BYTE, 1, 2, job.comm, &requests[1]) ==
           MPI_SUCCESS);
    EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
    await_functions(FROM_OWN, OWN_SENT + 1);
    EXPECT(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
}

/* Requests that complete backwards between two looks, in a set with gaps. */
static void check_order(void)
{
    enum { COUNT = 200 };
    static unsigned char bytes[COUNT][64];
    MPI_Request requests[COUNT], copies[COUNT];
    tc_mpi_continuations set;
    uint32_t sent = 0;
    if (job.rank != 1)
        return;
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, COUNT / 2, &job.err) == TC_OK);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < COUNT / 2; i++, sent++) {
            fill(bytes[i], FROM_ORDER, sent, 64);
            requests[i] = copies[i] = own_request(NULL);
            EXPECT(continue_at(&set, &requests[i], 1, bytes[i], 64, NULL) == TC_OK);
        }
        requests[0] = own_request(NULL);
        EXPECT(continue_at(&set, &requests[0], 1, NULL, 0, NULL) == TC_E_AGAIN);
        EXPECT(requests[0] != MPI_REQUEST_NULL);
        EXPECT(MPI_Grequest_complete(requests[0]) == MPI_SUCCESS);
        EXPECT(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        for (uint32_t i = 50; i-- > 0;) /* a part, then the rest */
            EXPECT(MPI_Grequest_complete(copies[i]) == MPI_SUCCESS);
        EXPECT(tc_mpi_continuations_progress(&set, &job.err) == TC_OK);
        EXPECT(tc_mpi_continuations_count(&set) <= COUNT / 2);
        for (uint32_t i = COUNT / 2; i-- > 50;)
            EXPECT(MPI_Grequest_complete(copies[i]) == MPI_SUCCESS);
        EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
    }
    await_functions(FROM_ORDER, sent);
    EXPECT(job.unordered[FROM_ORDER] == 0);
    EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
}

/* --- a rank that takes nothing for a while ----------------------------------------------- */

static void add_completed(tc_mpi_continuations *set, uint32_t to, const void *bytes,
                          const tc_mpi_continue_params *params)
{
    MPI_Request request = own_request(NULL);
    const MPI_Request copy = request;
    EXPECT(continue_at(set, &request, to, bytes, CREDIT_BYTES, params) == TC_OK);
    EXPECT(MPI_Grequest_complete(copy) == MPI_SUCCESS);
}

/* Rank 2 is silent, and this rank's own function, added last, runs all the same. */
static void send_beyond_credit(void)
{
    unsigned char(*bytes)[CREDIT_BYTES] = malloc((size_t)(CREDIT_MESSAGES + 1) * CREDIT_BYTES);
    ending own = {0};
    const tc_mpi_continue_params params = {.done = keep, .user = &own};
    tc_mpi_continuations set;
    tc_ep *ep;
    EXPECT(bytes != NULL);
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, CREDIT_MESSAGES + 1, &job.err) == TC_OK);
    for (uint32_t n = 0; n < CREDIT_MESSAGES; n++) {
        fill(bytes[n], FROM_CREDIT, n, CREDIT_BYTES);
        add_completed(&set, 2, bytes[n], NULL);
    }
    fill(bytes[CREDIT_MESSAGES], FROM_OWN, OWN_BESIDE, CREDIT_BYTES);
    add_completed(&set, 1, bytes[CREDIT_MESSAGES], &params);
    for (unsigned i = 0; i < 100; i++)
        EXPECT(tc_mpi_continuations_progress(&set, &job.err) == TC_OK);
    await_functions(FROM_OWN, OWN_BESIDE + 1);
    EXPECT(own.calls == 1 && own.status == TC_OK);
    EXPECT(tc_mpi_continuations_count(&set) > 0);
    EXPECT(MPI_Barrier(job.comm) == MPI_SUCCESS);
    EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
    EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
    EXPECT(tc_group_ep(job.group, 2, &ep, &job.err) == TC_OK);
    EXPECT(tc_ep_flush(ep, DEADLINE_NS, &job.err) == TC_OK);
    free(bytes);
}

static void check_credit(void)
{
    if (job.rank == 1)
        send_beyond_credit();
    else
        EXPECT(MPI_Barrier(job.comm) == MPI_SUCCESS);
    if (job.rank == 2)
        await_functions(FROM_CREDIT, CREDIT_MESSAGES);
    EXPECT(job.unordered[FROM_CREDIT] == 0 && job.unordered[FROM_OWN] == 0);
    barrier();
}

/* ----------------------------------------------------------------------------------------- */

static void start(void)
{
    EXPECT(tc_context_create(NULL, &job.ctx, &job.err) == TC_OK);
    EXPECT(MPI_Comm_dup(MPI_COMM_WORLD, &job.comm) == MPI_SUCCESS);
    EXPECT(MPI_Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    EXPECT(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    EXPECT(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    EXPECT(tc_group_create_mpi(job.ctx, MPI_COMM_WORLD, NULL, &job.group, &job.err) == TC_OK);
    EXPECT(tc_ifunc_open(job.ctx, "tally", &job.tally, &job.err) == TC_OK);
    EXPECT(tc_ifunc_use_local(job.tally, run_here, &job.err) == TC_OK);
    job.rank = tc_group_rank(job.group);
    EXPECT(tc_group_connect(job.group, DEADLINE_NS, &job.err) == TC_OK);
    barrier();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    start();
    check_third_rank();
    check_own_rank();
    check_order();
    check_credit();
    check_cancelled();
    check_failed();
    check_persistent();
    check_closed();
    tc_context_destroy(job.ctx);
    MPI_Comm_free(&job.comm);
    MPI_Finalize();
    return 0;
}
