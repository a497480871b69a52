/* The same by a reduction, for which the compiler makes a lock: a variable of the function's
 * own. */
#include "parallel.h"

#include <tc/entry.h>

int omp_get_num_threads(void);

void parallel_total_main(void *payload, size_t size, void *target_args)
{
    const parallel_order *order = payload;
    uint64_t total = 0;
    uint32_t threads = 0;
    (void)target_args;
    if (size != sizeof *order) {
        (void)tc_reply_error(TC_E_CORRUPT, "an order of another size");
        return;
    }
#pragma omp parallel for num_threads(order->threads) reduction(+ : total)
    for (uint32_t i = 0; i < order->count; i++) {
        total += (uint64_t)i * i;
        if (i == 0)
            threads = (uint32_t)omp_get_num_threads();
    }
    const parallel_answer answer = {total, threads};
    (void)tc_reply(&answer, sizeof answer);
}
