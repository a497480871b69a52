/* A sum by all processors of the node where it runs. The function's .deps name libomp, which
 * the node loads; its threads are there for the next call, too. */
#include "parallel_sum.h"

#include <string.h>
#include <tc/entry.h>
#include <time.h>

/* From <omp.h>, which need not be there to compile this. */
int omp_get_max_threads(void);
int omp_get_num_threads(void);

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The region has a number of its own: one that was set for the thread would stay for whatever
 * function runs next. All of its threads are through when it ends. */
static void add_up(const parallel_sum_order *order, parallel_sum_answer *answer)
{
    const int threads = order->threads != 0 ? (int)order->threads : omp_get_max_threads();
    double sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum) schedule(static)
    for (uint64_t i = 1; i <= order->terms; i++) {
        sum += 1.0 / ((double)i * (double)i);
        if (i == 1)
            answer->threads = (uint32_t)omp_get_num_threads();
    }
    answer->sum = sum;
}

void parallel_sum_main(void *payload, size_t size, void *target_args)
{
    parallel_sum_order order;
    parallel_sum_answer answer = {.sum = 0};
    (void)target_args;
    if (size != sizeof order) {
        (void)tc_reply_error(TC_E_CORRUPT, "an order of another size");
        return;
    }
    memcpy(&order, payload, sizeof order);
    if (order.threads > PARALLEL_SUM_THREADS_MAX) {
        (void)tc_reply_error(TC_E_INVALID, "an order for more than 256 threads");
        return;
    }
    const uint64_t started = now_ns();
    add_up(&order, &answer);
    answer.elapsed_ns = now_ns() - started;
    (void)tc_reply(&answer, sizeof answer);
}
