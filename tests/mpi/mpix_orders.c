/* Every value of "am_ordering": nothing is lost, and the orders that are kept are seen. */
#include "mpix_job.h"

#include <string.h>

/* One segment of input, from an origin that numbers all of its active messages, and those of
 * each operation. */
typedef struct number {
    int64_t of_all;
    int64_t of_op;
} number;

/* The segments that a target has seen of an origin. */
typedef struct seen {
    int64_t last;
    int64_t last_of_op[2];
    int64_t late; /* segments behind a newer one */
    int64_t late_of_op[2];
    int64_t late_in_one; /* segments of one active message that came too early */
    int64_t next;        /* of its segments */
    int64_t total;
} seen;

#define SEEN_NUMBERS ((int)(sizeof(seen) / sizeof(int64_t)))
#define LARGE 300

static void look(const number *in, seen *mine, int op, int segments, int first)
{
    if (in->of_all != mine->last || first == 0)
        mine->next = 0;
    mine->late_in_one += first != mine->next;
    mine->next = first + segments;
    for (int i = 0; i < segments; i++) {
        mine->late += in[i].of_all < mine->last;
        mine->late_of_op[op] += in[i].of_op < mine->last_of_op[op];
        mine->last = in[i].of_all;
        mine->last_of_op[op] = in[i].of_op;
        mine->total++;
    }
}

#define LOOK(name, op)                                                                         \
    static void name(const void *in, int in_count, MPI_Datatype in_type, void *range,          \
                     int range_count, MPI_Datatype range_type, void *out, int out_count,       \
                     MPI_Datatype out_type, int segments, int first)                           \
    {                                                                                          \
        (void)in_count, (void)in_type, (void)range_count, (void)range_type, (void)out;         \
        (void)out_count, (void)out_type;                                                       \
        look(in, range, op, segments, first);                                                  \
    }
LOOK(look_first, 0)
LOOK(look_second, 1)

static void send(const mpix_job *job, const number *in, int segments, MPI_Op op)
{
    int to = (job->rank + 1) % job->size;
    CHECK(MPIX_Am(in, 2, MPI_INT64_T, NULL, 0, MPI_INT64_T, segments, to, MPI_INT64_T, 0,
                  SEEN_NUMBERS, MPI_INT64_T, MPI_INT64_T, op, job->win) == MPI_SUCCESS);
}

/* Small and large ones by turns, of both operations. */
static int64_t send_all(const mpix_job *job, MPI_Op second)
{
    static number in[1024][LARGE];
    int64_t all = 0, of_op[2] = {0, 0}, segments = 0;
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    for (long i = 0; i < job->count; i++) {
        int op = i % 3 == 0, many = i % 7 == 0 ? LARGE : 1;
        number *row = in[i % 1024];
        all++;
        of_op[op]++;
        for (int s = 0; s < many; s++)
            row[s] = (number){all, of_op[op]};
        send(job, row, many, op ? second : job->op);
        segments += many;
        if (i % 1024 == 1023)
            CHECK(MPI_Win_flush_all(job->win) == MPI_SUCCESS);
    }
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    return segments;
}

static void try_ordering(mpix_job *job, const char *ordering)
{
    MPI_Op second;
    mpix_job_open(job, ordering, 1, look_first);
    CHECK(MPIX_Am_op_create(look_second, &second) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(second, job->win) == MPI_SUCCESS);
    int64_t segments = send_all(job, second);
    MPI_Barrier(MPI_COMM_WORLD);
    const seen *mine = (const seen *)job->memory;
    CHECK(mine->total == segments);
    int same = strstr(ordering, "sameop") != NULL, other = strstr(ordering, "diffop") != NULL;
    int one = strstr(ordering, "sameam") != NULL;
    if (same && other && one)
        CHECK(mine->late == 0 && mine->late_in_one == 0);
    if (same && one)
        CHECK(mine->late_of_op[0] == 0 && mine->late_of_op[1] == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    mpix_job_close(job);
    CHECK(MPIX_Am_op_free(&second) == MPI_SUCCESS);
}

void mpix_suite_orders(mpix_job *job)
{
    try_ordering(job, "sameop,diffop,sameam");
    try_ordering(job, "none");
    try_ordering(job, "sameop");
    try_ordering(job, "diffop");
    try_ordering(job, "sameam");
    try_ordering(job, " sameop , sameam ");
    try_ordering(job, "sameop,diffop");
    try_ordering(job, "diffop,sameam");
}
