/* Continuations of requests that fail, are cancelled or persistent, and closed endpoints. */
#include "mpi_continue_job.h"

#include <string.h>

/* --- requests that do not succeed -------------------------------------------------------- */

void check_cancelled(void)
{
    static unsigned char bytes[64];
    ending e = {0};
    const tc_mpi_continue_params params = {.done = keep, .user = &e};
    tc_mpi_continuations set;
    MPI_Request request;
    if (job.rank != 1)
        return;
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, 4, &job.err) == TC_OK);
    EXPECT(MPI_Irecv(bytes, 64, MPI_BYTE, 0, 77, job.comm, &request) == MPI_SUCCESS);
    EXPECT(continue_at(&set, &request, 1, bytes, 64, &params) == TC_OK);
    EXPECT(tc_mpi_continuations_progress(&set, &job.err) == TC_OK && e.calls == 0);
    EXPECT(tc_mpi_continuations_cancel(&set, &job.err) == TC_OK);
    EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
    EXPECT(e.calls == 1 && e.status == TC_E_CLOSED && strstr(e.text, "cancelled") != NULL);

    request = own_request(&set); /* cancelled by its query */
    const MPI_Request copy = request;
    EXPECT(continue_at(&set, &request, 1, bytes, 64, NULL) == TC_OK);
    EXPECT(MPI_Grequest_complete(copy) == MPI_SUCCESS);
    EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_E_CLOSED);
    EXPECT(strstr(job.err.text, "cancelled") != NULL);
    EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
    EXPECT(continue_at(&set, &request, 1, bytes, 64, NULL) == TC_E_INVALID);
    EXPECT(tc_mpi_continuations_fini(&set) == TC_OK && job.torn == 0);
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, TC_MPI_CONTINUATIONS_MAX + 1, &job.err) ==
           TC_E_INVALID);
}

/* A receive that is too short, among others that are not. */
void check_failed(void)
{
    static unsigned char bytes[3][64];
    ending e[3] = {{0}, {0}, {0}};
    tc_mpi_continuations set;
    if (job.rank == 0) {
        for (int tag = 10; tag < 13; tag++) {
            fill(bytes[0], FROM_OWN, OWN_WHOLE + (tag == 12), 64);
            EXPECT(MPI_Send(bytes[0], 64, MPI_BYTE, 1, tag, job.comm) == MPI_SUCCESS);
        }
    }
    if (job.rank == 1) {
        EXPECT(tc_mpi_continuations_init(&set, job.ctx, 4, &job.err) == TC_OK);
        for (int i = 0; i < 3; i++) {
            const tc_mpi_continue_params params = {.done = keep, .user = &e[i]};
            MPI_Request request;
            EXPECT(MPI_Irecv(bytes[i], i == 1 ? 8 : 64, MPI_BYTE, 0, 10 + i, job.comm,
                             &request) == MPI_SUCCESS);
            EXPECT(continue_at(&set, &request, 1, bytes[i], 64, &params) == TC_OK);
        }
        EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
        EXPECT(e[0].status == TC_OK && e[1].status == TC_E_IO && e[2].status == TC_OK);
        EXPECT(e[0].calls == 1 && e[1].calls == 1 && e[2].calls == 1);
        EXPECT(strlen(e[1].text) > strlen("MPI: "));
        EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
        await_functions(FROM_OWN, OWN_PERSISTENT);
    }
    barrier();
}

/* --- persistent requests ----------------------------------------------------------------- */

void check_persistent(void)
{
    static unsigned char bytes[64];
    ending e = {0};
    const tc_mpi_continue_params params = {.done = keep, .user = &e};
    tc_mpi_continuations set;
    MPI_Request request;
    for (uint32_t n = 0; job.rank == 0 && n < 3; n++) {
        fill(bytes, FROM_OWN, OWN_PERSISTENT + n, 64);
        EXPECT(MPI_Send(bytes, 64, MPI_BYTE, 1, 20, job.comm) == MPI_SUCCESS);
    }
    if (job.rank == 1) {
        EXPECT(tc_mpi_continuations_init(&set, job.ctx, 4, &job.err) == TC_OK);
        EXPECT(MPI_Recv_init(bytes, 64, MPI_BYTE, 0, 20, job.comm, &request) == MPI_SUCCESS);
        for (uint32_t n = 0; n < 3; n++) {
            EXPECT(MPI_Start(&request) == MPI_SUCCESS);
            EXPECT(continue_at(&set, &request, 1, bytes, 64, n < 2 ? &params : NULL) == TC_OK);
            EXPECT(tc_mpi_continuations_wait(&set, DEADLINE_NS, &job.err) == TC_OK);
            await_functions(FROM_OWN, OWN_PERSISTENT + n + 1);
            EXPECT(e.calls == (n < 2 ? n + 1 : 2) && e.request != MPI_REQUEST_NULL);
            request = e.request; /* the last one is freed */
        }
        EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
    }
    barrier();
}

/* --- an endpoint that its peer has closed ------------------------------------------------ */

/* Rank 1 connects to a listener of rank 2. */
static tc_ep *connect_to_second(void)
{
    char address[32];
    int port = 0, is_connected = 0;
    tc_ep *ep = NULL;
    tc_listener *listener;
    if (job.rank == 1) {
        EXPECT(MPI_Recv(&port, 1, MPI_INT, 2, 30, job.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        (void)snprintf(address, sizeof address, "127.0.0.1:%d", port);
        EXPECT(tc_ep_connect(job.ctx, address, DEADLINE_NS, &ep, &job.err) == TC_OK);
        EXPECT(MPI_Send(&port, 1, MPI_INT, 2, 31, job.comm) == MPI_SUCCESS);
    } else if (job.rank == 2) {
        EXPECT(tc_listener_open(job.ctx, "127.0.0.1:0", &listener, &job.err) == TC_OK);
        port = tc_listener_port(listener);
        EXPECT(MPI_Send(&port, 1, MPI_INT, 1, 30, job.comm) == MPI_SUCCESS);
        while (!is_connected) {
            (void)tc_progress(job.ctx);
            EXPECT(MPI_Iprobe(1, 31, job.comm, &is_connected, MPI_STATUS_IGNORE) ==
                   MPI_SUCCESS);
        }
        EXPECT(MPI_Recv(&port, 1, MPI_INT, 1, 31, job.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    return ep;
}

static void add_completed(tc_mpi_continuations *set, tc_ep *ep,
                          const tc_mpi_continue_params *params)
{
    MPI_Request request = own_request(NULL);
    const MPI_Request copy = request;
    EXPECT(tc_mpi_continue(set, &request, ep, job.tally, NULL, 0, params, &job.err) == TC_OK);
    EXPECT(MPI_Grequest_complete(copy) == MPI_SUCCESS);
}

/* Ends the context of rank 2. */
void check_closed(void)
{
    ending e = {0};
    const tc_mpi_continue_params params = {.done = keep, .user = &e};
    const tc_mpi_continue_params nowhere = {
        .done = keep, .user = &e, .group = job.group, .rank = 1000};
    tc_mpi_continuations set;
    tc_ep *ep = connect_to_second();
    if (job.rank == 2) {
        tc_context_destroy(job.ctx);
        job.ctx = NULL;
    }
    EXPECT(MPI_Barrier(job.comm) == MPI_SUCCESS);
    if (job.rank != 1)
        return;
    while (tc_ep_error(ep, &job.err) == TC_OK)
        (void)tc_progress(job.ctx);
    EXPECT(tc_mpi_continuations_init(&set, job.ctx, 4, &job.err) == TC_OK);
    add_completed(&set, ep, &params);
    add_completed(&set, ep, NULL);
    EXPECT(tc_mpi_continuations_progress(&set, &job.err) == TC_E_CLOSED);
    EXPECT(e.calls == 1 && e.status == TC_E_CLOSED && e.text[0] != '\0');
    EXPECT(strcmp(e.text, job.err.text) == 0 && tc_mpi_continuations_count(&set) == 0);
    add_completed(&set, NULL, &nowhere);
    EXPECT(tc_mpi_continuations_progress(&set, &job.err) == TC_OK);
    EXPECT(e.calls == 2 && e.status == TC_E_NOT_FOUND && e.text[0] != '\0');
    EXPECT(tc_mpi_continuations_fini(&set) == TC_OK);
    tc_ep_close(ep);
}
