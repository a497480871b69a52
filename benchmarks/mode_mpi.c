/* A call by messages of MPI: a send and a receive, which the other rank answers; and messages
 * alone, which it sends back or only receives. The ranks are
 * programs of their own (mpi_program.c) on the processors of source and target, which sleep
 * meanwhile; between rounds the ranks sleep. The source alone has something to do. */
#include "mpi_job.h"
#include "peer_modes.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <time.h>

/* Long beside a message: a target that looks often is work for the processor of rank 1. */
#define TARGET_REST_NS (10 * (long)PERF_NS_PER_MS)

/* More than that gain MPI nothing (Open MPI 4.1, MPICH 4.0). */
#define MESSAGES_AT_ONCE 64u

static bool open_by(perf_series *series, const mpi_system *system, bool is_tcp)
{
    mpi_job *job = series->state;
    series->payload_bytes = series->options->payload_bytes;
    series->frame_bytes = (double)series->payload_bytes; /* MPI's headers are its own affair */
    (void)snprintf(series->delivery, sizeof series->delivery, "%s", is_tcp ? "tcp" : "shared");
    if (series->session->role == PERF_TARGET)
        return true;
    if (!mpi_job_start(job, series->session, system, series->mode->name, is_tcp))
        return false;
    peer_modes_note_version(system->name, job->hello.library);
    return true;
}

static bool open_shared(perf_series *series)
{
    return open_by(series, &mpi_job_found, false);
}

static bool open_tcp(perf_series *series)
{
    return open_by(series, &mpi_job_found, true);
}

static bool open_mpich(perf_series *series)
{
    return open_by(series, &mpi_job_mpich, false);
}

static bool open_mpich_tcp(perf_series *series)
{
    return open_by(series, &mpi_job_mpich, true);
}

static bool run_order(perf_series *series, const mpi_order *order, uint64_t *ticks)
{
    mpi_answer answer;
    if (!mpi_job_run(series->state, order, ticks, &answer)) {
        mpi_job_end(series->state); /* nobody closes a series that has failed */
        return false;
    }
    series->took_ns = answer.took_ns;
    return true;
}

static bool run_trips(perf_series *series, uint64_t count, uint64_t *ticks)
{
    const mpi_order order = {.kind = MPI_WORDS_CALLS,
                             .count = count,
                             .window = series->options->calls_at_once,
                             .payload_bytes = series->payload_bytes,
                             .wants_ticks = ticks != NULL};
    return run_order(series, &order, ticks);
}

static bool rate_trips(perf_series *series, uint64_t count)
{
    return run_trips(series, count, NULL);
}

static bool run_echoes(perf_series *series, uint64_t count, uint64_t *stamps)
{
    const mpi_order order = {.kind = MPI_WORDS_ECHOES,
                             .count = count,
                             .window = 1,
                             .payload_bytes = series->payload_bytes,
                             .wants_ticks = true};
    if (!run_order(series, &order, stamps + 1))
        return false;
    stamps[0] = 0;
    for (uint64_t i = 1; i <= count; i++)
        stamps[i] += stamps[i - 1];
    return true;
}

static bool run_messages(perf_series *series, uint64_t count)
{
    const mpi_order order = {.kind = MPI_WORDS_MESSAGES,
                             .count = count,
                             .window = MESSAGES_AT_ONCE,
                             .payload_bytes = series->payload_bytes};
    return run_order(series, &order, NULL);
}

static bool rest(perf_series *series, uint64_t count)
{
    const struct timespec pause = {.tv_nsec = TARGET_REST_NS};
    (void)count;
    perf_session_set_done(series->session); /* rank 0 has all answers when the source has */
    while (!perf_session_has_ended(series->session)) {
        if (perf_session_has_failed(series->session))
            return false;
        (void)nanosleep(&pause, NULL);
    }
    return true;
}

static void release_job(perf_series *series)
{
    mpi_job_end(series->state);
}

#define MPI_MODE(text, opened, latency, rate)                                                  \
    {                                                                                          \
        .name = text, .state_bytes = sizeof(mpi_job), .has_ranks = true, .open = opened,       \
        .source_latency = latency, .target_latency = rest, .source_rate = rate,                \
        .target_rate = rest, .release = release_job                                            \
    }

const perf_mode perf_mode_mpi = MPI_MODE("mpi", open_shared, run_trips, rate_trips);
const perf_mode perf_mode_mpi_tcp = MPI_MODE("mpi-tcp", open_tcp, run_trips, rate_trips);
const perf_mode perf_mode_mpich = MPI_MODE("mpich", open_mpich, run_trips, rate_trips);
const perf_mode perf_mode_mpich_tcp =
    MPI_MODE("mpich-tcp", open_mpich_tcp, run_trips, rate_trips);
const perf_mode perf_mode_mpi_messages = MPI_MODE("mpi", open_shared, run_echoes, run_messages);
const perf_mode perf_mode_mpi_tcp_messages =
    MPI_MODE("mpi-tcp", open_tcp, run_echoes, run_messages);
const perf_mode perf_mode_mpich_messages =
    MPI_MODE("mpich", open_mpich, run_echoes, run_messages);
const perf_mode perf_mode_mpich_tcp_messages =
    MPI_MODE("mpich-tcp", open_mpich_tcp, run_echoes, run_messages);
