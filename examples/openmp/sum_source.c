/* Has a node add up a series, by one thread and by several, and compares.
 *
 *   sum_source HOST:PORT [TERMS [THREADS]]
 *
 * THREADS 0, which it is without it, leaves the number to the node. */
#include "parallel_sum.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <tc/tc.h>

#define ROUNDS 5u

static bool check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "sum_source: %s: %s\n", what, err->text);
    return status == TC_OK;
}

/* The best of some rounds approximates an idle machine. */
static bool ask(tc_ep *ep, tc_ifunc *fn, const parallel_sum_order *order,
                parallel_sum_answer *best)
{
    tc_error err = {TC_OK, ""};
    for (unsigned round = 0; round < ROUNDS; round++) {
        parallel_sum_answer answer;
        size_t size = sizeof answer;
        if (!check(tc_call(ep, fn, order, sizeof *order, &answer, &size, TC_SECONDS(60), &err),
                   &err, "parallel_sum"))
            return false;
        if (round == 0 || answer.elapsed_ns < best->elapsed_ns)
            *best = answer;
    }
    return true;
}

/* Terms are added in another order by several threads. */
static bool is_right(const parallel_sum_answer *answer, uint64_t terms)
{
    double expected = 0;
    for (uint64_t i = terms; i > 0; i--)
        expected += 1.0 / ((double)i * (double)i);
    return fabs(answer->sum - expected) < 1e-9;
}

static bool compare(tc_ep *ep, tc_ifunc *fn, uint64_t terms, uint32_t threads)
{
    parallel_sum_answer one, many;
    const parallel_sum_order alone = {.terms = terms, .threads = 1};
    const parallel_sum_order all = {.terms = terms, .threads = threads};
    if (!ask(ep, fn, &alone, &one) || !ask(ep, fn, &all, &many))
        return false;
    printf("%u thread   %.12f in %.2f ms\n", one.threads, one.sum,
           (double)one.elapsed_ns / 1e6);
    printf("%u threads  %.12f in %.2f ms: ratio %.2f\n", many.threads, many.sum,
           (double)many.elapsed_ns / 1e6, (double)one.elapsed_ns / (double)many.elapsed_ns);
    bool right = is_right(&one, terms) && is_right(&many, terms) && one.threads == 1 &&
                 (threads == 0 || many.threads == threads);
    puts(right ? "sums: right" : "sums: WRONG");
    return right;
}

int main(int argc, char **argv)
{
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *fn;
    tc_error err = {TC_OK, ""};
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: sum_source HOST:PORT [TERMS [THREADS]]\n");
        return 2;
    }
    const uint64_t terms = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000000;
    const uint32_t threads = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    if (!check(tc_context_create(NULL, &ctx, &err), &err, "context"))
        return 1;
    bool ok = check(tc_ep_connect(ctx, argv[1], 0, &ep, &err), &err, argv[1]) &&
              check(tc_ifunc_open(ctx, "parallel_sum", &fn, &err), &err, "parallel_sum") &&
              compare(ep, fn, terms, threads);
    tc_context_destroy(ctx);
    return ok ? 0 : 1;
}
