/* Time of a call of an empty method beside that of an empty function with as many bytes. Rank 0
 * calls rank 1, in short rounds that take turns. Printed are the median and the round that a
 * tenth are faster than, which other programs disturb least. Then objects of some sizes move.
 *
 *   tc-run -n 2 objects_measure [ROUNDS] */
#include "account.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FUNCTION, METHOD, ATOMIC, KINDS };

#define CALLS 100
#define ROUNDS_MAX 10000

static const char *const names[KINDS] = {"null_call", "null_method", "null_atomic"};
static double times[KINDS][ROUNDS_MAX];

typedef struct measurement {
    tc_context *ctx;
    tc_group *group;
    tc_objects *objects;
    tc_ifunc *functions[KINDS], *open, *large;
    tc_gptr account;
} measurement;

static void must(tc_status status, const tc_error *err)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "objects_measure: %s\n", err->text);
    exit(1);
}

static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure_round(measurement *m, int kind)
{
    tc_error err;
    tc_ep *ep;
    const double begin = now_ns();
    for (int i = 0; i < CALLS; i++) {
        if (kind == FUNCTION) {
            must(tc_group_ep(m->group, 1, &ep, &err), &err);
            must(tc_call(ep, m->functions[kind], &m->account, sizeof m->account, NULL, NULL, 0,
                         &err),
                 &err);
        } else {
            must(tc_object_call(m->objects, m->functions[kind], &m->account, sizeof m->account,
                                NULL, NULL, 0, &err),
                 &err);
        }
    }
    return (now_ns() - begin) / CALLS;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_moves(measurement *m, uint64_t bytes, int rounds)
{
    tc_gptr object;
    tc_error err;
    must(tc_object_create(m->objects, 0, m->large, &bytes, sizeof bytes, 0, &object, &err),
         &err);
    for (int round = 0; round < rounds; round++) {
        const double begin = now_ns();
        must(tc_object_move(m->objects, object, 1 - (uint32_t)round % 2, 0, &err), &err);
        times[FUNCTION][round] = now_ns() - begin;
    }
    qsort(times[FUNCTION], (size_t)rounds, sizeof(double), compare);
    printf("move of %8" PRIu64 " bytes: median %9.1f us, tenth %9.1f us\n", bytes,
           times[FUNCTION][rounds / 2] / 1e3, times[FUNCTION][rounds / 10] / 1e3);
    must(tc_object_destroy(m->objects, object, NULL, 0, &err), &err);
}

static void measure(measurement *m, int rounds)
{
    tc_error err;
    must(tc_object_create(m->objects, 1, m->open, NULL, 0, 0, &m->account, &err), &err);
    for (int round = -20; round < rounds; round++) /* the first ones warm up */
        for (int kind = 0; kind < KINDS; kind++)
            times[kind][round < 0 ? 0 : round] = measure_round(m, kind);
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(times[kind], (size_t)rounds, sizeof(double), compare);
        const double *t = times[kind], *call = times[FUNCTION];
        printf("%-12s median %7.1f ns, %.3f times a call; tenth %7.1f ns, %.3f\n", names[kind],
               t[rounds / 2], t[rounds / 2] / call[rounds / 2], t[rounds / 10],
               t[rounds / 10] / call[rounds / 10]);
    }
    for (uint64_t bytes = 0; bytes <= 16u << 20; bytes = bytes == 0 ? 4096 : bytes * 16)
        measure_moves(m, bytes, rounds < 200 ? rounds : 200);
}

int main(int argc, char **argv)
{
    static measurement m;
    tc_error err = {TC_OK, ""};
    int rounds = argc > 1 ? atoi(argv[1]) : 2000;
    rounds = rounds < 1 || rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    must(tc_context_create(NULL, &m.ctx, &err), &err);
    must(tc_group_join(m.ctx, TC_SECONDS(60), &m.group, &err), &err);
    const tc_objects_params params = {.group = m.group};
    must(tc_objects_open(m.ctx, &params, &m.objects, &err), &err);
    for (int kind = 0; kind < KINDS; kind++)
        must(tc_ifunc_open(m.ctx, names[kind], &m.functions[kind], &err), &err);
    must(tc_ifunc_open(m.ctx, "account_open", &m.open, &err), &err);
    must(tc_ifunc_open(m.ctx, "null_large", &m.large, &err), &err);
    must(tc_group_barrier(m.group, TC_SECONDS(60), &err), &err);
    if (tc_group_rank(m.group) == 0 && tc_group_size(m.group) > 1)
        measure(&m, rounds);
    must(tc_group_barrier(m.group, TC_SECONDS(600), &err), &err);
    must(tc_objects_close(m.objects), &err);
    tc_context_destroy(m.ctx);
    return 0;
}
