#include "dapc_workers.h"

#include "perf_clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 100

static perf_session *client_of(dapc_workers *workers)
{
    return &workers->sessions[workers->server_count];
}

static bool tell_workers(dapc_workers *workers, unsigned count, uint32_t action,
                         unsigned series)
{
    for (unsigned i = 0; i < count; i++) {
        if (!perf_session_command(&workers->sessions[i], action, series, 0))
            return false;
    }
    return true;
}

/* A silent worker may be waiting for another that has failed. */
static bool hear_bytes(dapc_workers *workers, perf_session *worker, void *bytes, size_t size)
{
    struct pollfd wait = {.fd = worker->link_fd, .events = POLLIN};
    size_t got;
    while (poll(&wait, 1, LOOK_MS) == 0) {
        if (perf_session_any_failed(workers->sessions, workers->started)) {
            perf_session_fail_all(workers->sessions, workers->started);
            return false;
        }
    }
    return perf_session_recv(worker, bytes, size, &got) && got == size;
}

static bool hear(dapc_workers *workers, perf_session *worker, dapc_answer *answer_out)
{
    return hear_bytes(workers, worker, answer_out, sizeof *answer_out) && answer_out->ok;
}

static bool hear_workers(dapc_workers *workers, unsigned count)
{
    dapc_answer answer;
    for (unsigned i = 0; i < count; i++) {
        if (!hear(workers, &workers->sessions[i], &answer))
            return false;
    }
    return true;
}

static bool blame_program(const dapc_workers *workers, unsigned rank)
{
    (void)fprintf(stderr,
                  "tc-perf: server %u, '%s', did not begin as a tc-perf of this version does\n",
                  rank, workers->configs[rank].options->server_program);
    return false;
}

/* Servers that are programs get their orders and report their properties. */
static bool meet_programs(dapc_workers *workers)
{
    unsigned char said[DAPC_INTRODUCTION_BYTES];
    for (unsigned i = 0; i < workers->server_count; i++) {
        if (!dapc_member_order(&workers->sessions[i], &workers->configs[i]))
            return blame_program(workers, i);
    }
    for (unsigned i = 0; i < workers->server_count; i++) {
        perf_session *session = &workers->sessions[i];
        if (!hear_bytes(workers, session, said, sizeof said))
            return blame_program(workers, i);
        if (!dapc_member_judge(session, said, sizeof said, workers->server_arch))
            return false;
    }
    return true;
}

bool dapc_workers_start(dapc_workers *workers, const perf_options *options,
                        unsigned server_count, const dapc_plan *plans, unsigned plan_count)
{
    bool ok = true;
    memset(workers, 0, sizeof *workers);
    workers->server_count = server_count;
    dapc_member_arch(workers->client_arch);
    dapc_member_arch(workers->server_arch);
    if (!dapc_table_make(&workers->table, server_count)) {
        (void)fprintf(stderr, "tc-perf: no memory for the table of %u servers, %s\n",
                      server_count, strerror(errno));
        return false;
    }
    for (unsigned i = 0; ok && i <= server_count; i++) {
        workers->configs[i] = (dapc_worker_config){.options = options,
                                                   .table = &workers->table,
                                                   .plans = plans,
                                                   .plan_count = plan_count,
                                                   .rank = i};
        bool is_program = options->server_program != NULL && i < server_count;
        ok = perf_session_start(&workers->sessions[i], NULL,
                                is_program ? dapc_member_become : dapc_worker_serve,
                                &workers->configs[i]);
        workers->started++;
    }
    return ok && (options->server_program == NULL || meet_programs(workers));
}

bool dapc_workers_stop(dapc_workers *workers)
{
    bool ok = workers->started == workers->server_count + 1 &&
              !perf_session_any_failed(workers->sessions, workers->started);
    if (!ok)
        perf_session_fail_all(workers->sessions, workers->started);
    ok = perf_session_end_all(workers->sessions, workers->started) && ok;
    workers->started = 0;
    dapc_table_free(&workers->table);
    return ok;
}

static void end_steps(dapc_workers *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        perf_session_set_ended(&workers->sessions[i]);
}

static bool await_ready(dapc_workers *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        perf_session *worker = &workers->sessions[i];
        while (atomic_load_explicit(&worker->control->ready, memory_order_acquire) !=
               worker->step) {
            if (perf_session_any_failed(workers->sessions, workers->started)) {
                perf_session_fail_all(workers->sessions, workers->started);
                return false;
            }
            (void)poll(NULL, 0, 1); /* the processors are the workers' */
        }
    }
    return true;
}

static bool exchange_blobs(dapc_workers *workers, unsigned series, unsigned count)
{
    dapc_blob *blobs = calloc(count, sizeof *blobs);
    bool ok = blobs != NULL;
    for (unsigned i = 0; ok && i < count; i++)
        ok = hear_bytes(workers, &workers->sessions[i], &blobs[i], sizeof blobs[i]);
    for (unsigned i = 0; ok && i < count; i++) {
        ok = perf_session_command(&workers->sessions[i], DAPC_CONNECT, series, 0);
        for (unsigned k = 0; ok && k < count; k++)
            ok = perf_session_send(&workers->sessions[i], &blobs[k], sizeof blobs[k]);
    }
    free(blobs);
    return ok;
}

bool dapc_workers_open(dapc_workers *workers, unsigned series)
{
    unsigned count = workers->server_count + 1;
    if (!tell_workers(workers, count, DAPC_OPEN, series) ||
        !exchange_blobs(workers, series, count) || !await_ready(workers, count))
        return false;
    end_steps(workers, count);
    return hear_workers(workers, count);
}

/* No worker leaves while another may still wait for its message; then all at once, since a
 * closing one may need the others' progress. */
bool dapc_workers_close(dapc_workers *workers, unsigned series)
{
    unsigned count = workers->server_count + 1;
    if (!tell_workers(workers, count, DAPC_SETTLE, series) || !await_ready(workers, count))
        return false;
    end_steps(workers, count);
    return hear_workers(workers, count) && tell_workers(workers, count, DAPC_CLOSE, series) &&
           hear_workers(workers, count);
}

bool dapc_workers_begin(dapc_workers *workers, unsigned series)
{
    return tell_workers(workers, workers->server_count, DAPC_SERVE, series) &&
           await_ready(workers, workers->server_count);
}

bool dapc_workers_end(dapc_workers *workers)
{
    end_steps(workers, workers->server_count);
    return hear_workers(workers, workers->server_count);
}

bool dapc_workers_prepare(dapc_workers *workers, unsigned series, bool known)
{
    dapc_answer answer;
    return perf_session_command(client_of(workers), DAPC_PREPARE, series, known) &&
           hear(workers, client_of(workers), &answer);
}

bool dapc_workers_run(dapc_workers *workers, unsigned series, const dapc_batch *batch,
                      uint64_t *took_ns_out)
{
    dapc_answer answer;
    if (!perf_session_command(client_of(workers), DAPC_RUN, series, 0) ||
        !perf_session_send(client_of(workers), batch, sizeof *batch) ||
        !hear(workers, client_of(workers), &answer))
        return false;
    *took_ns_out = answer.took_ns;
    return true;
}
