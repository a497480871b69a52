/* A parallel loop that leaves nothing behind: no variable of the function's own, so its code
 * may leave memory between two calls. */
#include "parallel.h"

#include <stdlib.h>
#include <tc/entry.h>

int omp_get_num_threads(void);

void parallel_squares_main(void *payload, size_t size, void *target_args)
{
    const parallel_order *order = payload;
    parallel_answer answer = {0, 0};
    uint64_t *squares = size == sizeof *order ? calloc(order->count, sizeof *squares) : NULL;
    (void)target_args;
    if (squares == NULL) {
        (void)tc_reply_error(TC_E_CORRUPT, "an order of another size");
        return;
    }
#pragma omp parallel for num_threads(order->threads)
    for (uint32_t i = 0; i < order->count; i++) {
        squares[i] = (uint64_t)i * i;
        if (i == 0)
            answer.threads = (uint32_t)omp_get_num_threads();
    }
    for (uint32_t i = 0; i < order->count; i++)
        answer.total += squares[i];
    free(squares);
    (void)tc_reply(&answer, sizeof answer);
}
