/* Active messages in every kind of epoch: all arrive, and each is complete where it has to
 * be. */
#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

static const int64_t one = 1;

/* Adds 1 so many times to each rank's number of this rank; outputs of the first are checked by
 * the caller after the completion. */
static void send_all(const mpix_job *job, long count, int64_t *answers)
{
    for (long i = 0; i < count; i++) {
        int to = (int)(i % job->size);
        CHECK(mpix_job_send(job, &one, answers != NULL ? &answers[i] : NULL, to, job->rank) ==
              MPI_SUCCESS);
    }
}

static int64_t share(const mpix_job *job, long count, int rank)
{
    return count / job->size + (rank < count % job->size);
}

/* Compares this rank's numbers with the sums of all ranks' additions; the others are 0. */
static void check_memory(const mpix_job *job, long rounds, long count)
{
    for (int i = 0; i < MPIX_JOB_NUMBERS; i++)
        CHECK(job->memory[i] == (i < job->size ? rounds * share(job, count, job->rank) : 0));
}

static void clear(const mpix_job *job)
{
    MPI_Barrier(MPI_COMM_WORLD);
    memset(job->memory, 0, MPIX_JOB_NUMBERS * sizeof *job->memory);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_answers(const mpix_job *job, const int64_t *answers, long count)
{
    for (long i = 0; i < count; i++)
        CHECK(answers[i] == i / job->size + 1);
}

static void fence(mpix_job *job, int64_t *answers)
{
    CHECK(MPI_Win_fence(MPI_MODE_NOPRECEDE, job->win) == MPI_SUCCESS);
    send_all(job, job->count, answers);
    CHECK(MPI_Win_fence(0, job->win) == MPI_SUCCESS);
    check_answers(job, answers, job->count);
    check_memory(job, 1, job->count);
    CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win) == MPI_SUCCESS);
    for (long round = 0; round < 50; round++) { /* the others' are here after each */
        CHECK(MPI_Win_fence(MPI_MODE_NOPRECEDE, job->win) == MPI_SUCCESS);
        send_all(job, job->size, NULL);
        CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win) == MPI_SUCCESS);
        for (int i = 0; i < job->size; i++)
            CHECK(job->memory[i] == share(job, job->count, job->rank) + round + 1);
    }
    clear(job);
}

/* Every rank is a target of all others, in rounds, with its numbers looked at between. */
static void post_and_start(mpix_job *job, int64_t *answers)
{
    const long rounds = 20, count = job->count / rounds;
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (long round = 0; round < rounds; round++) {
        int ended = 0;
        CHECK(MPI_Win_post(all, 0, job->win) == MPI_SUCCESS);
        CHECK(MPI_Win_start(all, 0, job->win) == MPI_SUCCESS);
        send_all(job, count, answers);
        CHECK(MPI_Win_complete(job->win) == MPI_SUCCESS);
        if (round % 2 == 0) {
            CHECK(MPI_Win_wait(job->win) == MPI_SUCCESS);
        } else {
            while (!ended)
                CHECK(MPI_Win_test(job->win, &ended) == MPI_SUCCESS);
        }
        check_memory(job, round + 1, count);
    }
    MPI_Group_free(&all);
    clear(job);
}

/* A start before the target's post: the target's store before its post comes first. */
static void late_post(mpix_job *job)
{
    int64_t answer = 0;
    int target = job->size - 1;
    MPI_Group all, other;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int round = 0; round < 20; round++) {
        if (job->rank == 0) {
            MPI_Group_incl(all, 1, &target, &other);
            MPI_Win_start(other, 0, job->win);
            CHECK(mpix_job_send(job, &one, &answer, target, 0) == MPI_SUCCESS);
            MPI_Win_complete(job->win);
            CHECK(answer == 1000 * (round + 1) + 1);
            MPI_Group_free(&other);
        }
        if (job->rank == target) {
            int origin = 0;
            for (volatile int turns = 0; turns < 100000; turns++)
                continue;
            job->memory[0] = 1000 * (round + 1);
            MPI_Group_incl(all, 1, &origin, &other);
            MPI_Win_post(other, 0, job->win);
            MPI_Win_wait(job->win);
            CHECK(job->memory[0] == 1000 * (round + 1) + 1);
            MPI_Group_free(&other);
        }
    }
    MPI_Group_free(&all);
    clear(job);
}

/* The program promises that no wait is needed: the library adds no messages of its own.
 * In MPICH 4.0 a window with such a lock releases no later one, so this comes last. */
static void unchecked(mpix_job *job)
{
    int to = (job->rank + 1) % job->size, from = (job->rank + job->size - 1) % job->size;
    MPI_Group all, targets, origins;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &to, &targets);
    MPI_Group_incl(all, 1, &from, &origins);
    for (int64_t round = 1; round <= 20; round++) {
        int64_t answer = 0;
        CHECK(MPI_Win_post(origins, MPI_MODE_NOCHECK, job->win) == MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(MPI_Win_start(targets, MPI_MODE_NOCHECK, job->win) == MPI_SUCCESS);
        CHECK(mpix_job_send(job, &one, &answer, to, 9) == MPI_SUCCESS);
        CHECK(MPI_Win_complete(job->win) == MPI_SUCCESS);
        CHECK(MPI_Win_wait(job->win) == MPI_SUCCESS);
        CHECK(answer == 2 * round - 1 && job->memory[9] == 2 * round - 1);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(MPI_Win_lock(MPI_LOCK_SHARED, to, MPI_MODE_NOCHECK, job->win) == MPI_SUCCESS);
        CHECK(mpix_job_send(job, &one, &answer, to, 9) == MPI_SUCCESS);
        CHECK(MPI_Win_unlock(to, job->win) == MPI_SUCCESS);
        CHECK(answer == 2 * round);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
    MPI_Group_free(&all);
    clear(job);
}

/* Additions of two active messages each are exclusive: no other addition comes between them. */
static void lock(mpix_job *job)
{
    const long rounds = job->count / 500 + 1;
    for (long i = 0; i < rounds; i++) {
        int64_t before = 0, after = 0, nothing = 0;
        int to = (int)(i % job->size);
        CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, job->win) == MPI_SUCCESS);
        CHECK(mpix_job_send(job, &nothing, &before, to, 7) == MPI_SUCCESS);
        CHECK(MPI_Win_flush(to, job->win) == MPI_SUCCESS);
        CHECK(mpix_job_send(job, &one, &after, to, 7) == MPI_SUCCESS);
        CHECK(MPI_Win_unlock(to, job->win) == MPI_SUCCESS);
        CHECK(after == before + 1);
    }
    clear(job);
    for (int to = 0; to < job->size; to++) {
        CHECK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, job->win) == MPI_SUCCESS);
        for (long i = 0; i < job->count / job->size; i++)
            CHECK(mpix_job_send(job, &one, NULL, to, job->rank) == MPI_SUCCESS);
        CHECK(MPI_Win_unlock(to, job->win) == MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_memory(job, 1, job->count / job->size * job->size);
    clear(job);
}

static void lock_all(mpix_job *job, int64_t *answers)
{
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    send_all(job, job->count, answers);
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    check_answers(job, answers, job->count);
    MPI_Barrier(MPI_COMM_WORLD);
    check_memory(job, 1, job->count);
    clear(job);
}

static void flushes(mpix_job *job, int64_t *answers)
{
    const long count = job->count / 5;
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    for (int form = 0; form < 5; form++) {
        memset(answers, 0, (size_t)count * sizeof *answers);
        send_all(job, count, answers);
        for (int rank = 0; form < 2 && rank < job->size; rank++) {
            CHECK((form == 0 ? MPI_Win_flush(rank, job->win)
                             : MPI_Win_flush_local(rank, job->win)) == MPI_SUCCESS);
        }
        if (form >= 2)
            CHECK((form % 2 == 0 ? MPI_Win_flush_all(job->win)
                                 : MPI_Win_flush_local_all(job->win)) == MPI_SUCCESS);
        for (long i = 0; i < count; i++)
            CHECK(answers[i] ==
                  form * share(job, count, (int)(i % job->size)) + i / job->size + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_memory(job, 5, count);
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    clear(job);
}

/* put, flush, active message, flush, get: each sees the one before. */
static void mixed(mpix_job *job)
{
    int to = (job->rank + 1) % job->size, at = 16 + job->rank;
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    for (int64_t i = 1; i <= 300; i++) {
        int64_t put = 10 * i, answer = 0, got = 0;
        MPI_Put(&put, 1, MPI_INT64_T, to, at, 1, MPI_INT64_T, job->win);
        MPI_Win_flush(to, job->win);
        CHECK(mpix_job_send(job, &one, &answer, to, at) == MPI_SUCCESS);
        MPI_Win_flush(to, job->win);
        MPI_Get(&got, 1, MPI_INT64_T, to, at, 1, MPI_INT64_T, job->win);
        MPI_Win_flush(to, job->win);
        CHECK(answer == put + 1 && got == put + 1);
    }
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    clear(job);
}

void mpix_suite_epochs(mpix_job *job)
{
    int64_t *answers = calloc((size_t)job->count + 1, sizeof *answers);
    for (int allocate = 0; allocate < 2; allocate++) {
        mpix_job_open(job, allocate ? "sameop,diffop,sameam" : NULL, allocate, mpix_job_add);
        fence(job, answers);
        post_and_start(job, answers);
        late_post(job);
        lock(job);
        lock_all(job, answers);
        flushes(job, answers);
        mixed(job);
        unchecked(job);
        mpix_job_close(job);
    }
    free(answers);
}
