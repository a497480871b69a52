#include "mpi_continue_job.h"

#include "../shipped/check.h"

#include <stdbool.h>
#include <string.h>

void keep(void *user, const tc_mpi_outcome *outcome)
{
    ending *e = user;
    e->calls++;
    e->status = outcome->status;
    e->result = *outcome->result;
    e->request = outcome->request;
    (void)snprintf(e->text, sizeof e->text, "%s", outcome->text);
}

tc_status continue_at(tc_mpi_continuations *set, MPI_Request *request, uint32_t rank,
                      const void *args, size_t size, const tc_mpi_continue_params *params)
{
    tc_mpi_continue_params at = {0};
    if (params != NULL)
        at = *params;
    at.group = job.group;
    at.rank = rank;
    return tc_mpi_continue(set, request, NULL, job.tally, args, size, &at, &job.err);
}

void barrier(void)
{
    EXPECT(tc_group_barrier(job.group, DEADLINE_NS, &job.err) == TC_OK);
}

void fill(void *at, uint32_t source, uint32_t n, size_t size)
{
    tally_message *message = at;
    uint8_t *content = (uint8_t *)(message + 1);
    memset(message, 0, sizeof *message);
    message->source = source;
    message->n = n;
    for (size_t i = 0; i < size - sizeof *message; i++)
        content[i] = check_byte(n + source, size - sizeof *message, i);
}

void run_here(void *payload, size_t size, void *unused)
{
    tally_message message;
    const uint8_t *content = (const uint8_t *)payload + sizeof message;
    (void)unused;
    job.torn += size < sizeof message;
    if (size < sizeof message)
        return;
    memcpy(&message, payload, sizeof message);
    EXPECT(message.source < SOURCES);
    size -= sizeof message;
    bool is_whole = true;
    for (size_t i = 0; i < size; i++)
        is_whole = is_whole && content[i] == check_byte(message.n + message.source, size, i);
    job.torn += !is_whole;
    job.unordered[message.source] += message.n != job.seen[message.source];
    job.seen[message.source]++;
}

void await_functions(uint32_t source, uint32_t count)
{
    const double begin = MPI_Wtime();
    while (job.seen[source] < count) {
        (void)tc_progress(job.ctx);
        EXPECT(MPI_Wtime() - begin < 60);
    }
    EXPECT(job.seen[source] == count && job.torn == 0);
}

/* --- requests that the test completes ---------------------------------------------------- */

static int query(void *is_cancelled, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, is_cancelled != NULL);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *unused)
{
    (void)unused;
    return MPI_SUCCESS;
}

static int cancel(void *unused, int is_complete)
{
    (void)unused, (void)is_complete;
    return MPI_SUCCESS;
}

MPI_Request own_request(void *is_cancelled)
{
    MPI_Request request;
    EXPECT(MPI_Grequest_start(query, release, cancel, is_cancelled, &request) == MPI_SUCCESS);
    return request;
}
