/* Gets and puts of any size, and of rows that lie apart: parts of a matrix, a field of each
 * record of a table.
 *
 * They are chains of <tc/window.h>, one after the other: each takes effect in one go, with up
 * to sixteen rows and TC_WINDOW_BYTES_MAX bytes, but others may come between them. They block,
 * as tc_window_chain does, and suspend a function that may wait (tc/task.h). */
#ifndef TC_WINDOW_ROWS_H
#define TC_WINDOW_ROWS_H

#include <tc/window.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a window, and the memory of this process for them. Later versions may add members:
 * zero the struct first. */
typedef struct tc_window_rows {
    tc_gptr at;             /* the beginning of the first row */
    uint64_t bytes;         /* of each row, at least 1; without a bound */
    uint64_t count;         /* of the rows, at least 1 */
    uint64_t stride;        /* bytes from the beginning of a row to that of the next one */
    void *memory;           /* the first row here; a put only reads it */
    uint64_t memory_stride; /* as stride, here */
} tc_window_rows;

/* The offset of a byte of a row. One that 64 bits do not hold is outside any window, too. */
static inline uint64_t tc_window_rows_offset(const tc_window_rows *rows, uint64_t row,
                                             uint64_t byte)
{
    uint64_t offset;
    if (__builtin_mul_overflow(row, rows->stride, &offset) ||
        __builtin_add_overflow(offset, byte, &offset) ||
        __builtin_add_overflow(offset, rows->at.offset, &offset))
        return UINT64_MAX;
    return offset;
}

/* Fills the steps of the next chain, from a byte of a row on. Returns their number. */
static inline size_t tc_window_rows_steps(const tc_window_rows *rows,
                                          tc_window_operation operation, uint64_t *row,
                                          uint64_t *byte,
                                          tc_window_step steps_out[TC_WINDOW_STEPS_MAX])
{
    uint64_t left = TC_WINDOW_BYTES_MAX;
    size_t count = 0;
    while (count < TC_WINDOW_STEPS_MAX && left > 0 && *row < rows->count) {
        const uint64_t rest = rows->bytes - *byte, size = rest < left ? rest : left;
        char *here = (char *)rows->memory + *row * rows->memory_stride + *byte;
        tc_gptr at = rows->at;
        at.offset = tc_window_rows_offset(rows, *row, *byte);
        steps_out[count] = tc_window_step_of(operation, at, size, NULL);
        if (operation == TC_WINDOW_PUT)
            steps_out[count].source = here;
        else
            steps_out[count].result = here;
        count++;
        left -= size;
        *byte += size;
        if (*byte == rows->bytes) {
            *byte = 0;
            ++*row;
        }
    }
    return count;
}

/* Moves all rows, by get or by put.
 *
 *   as tc_window_chain  the rows of earlier chains were moved */
static inline tc_status tc_window_rows_move(tc_ep *ep, const tc_window_rows *rows,
                                            tc_window_operation operation, uint64_t timeout_ns,
                                            tc_error *err)
{
    tc_window_step steps[TC_WINDOW_STEPS_MAX];
    uint64_t row = 0, byte = 0;
    tc_status status;
    do {
        const size_t count = tc_window_rows_steps(rows, operation, &row, &byte, steps);
        status = tc_window_chain(ep, steps, count, timeout_ns, NULL, err);
    } while (status == TC_OK && row < rows->count);
    return status;
}

/* Gets rows into rows->memory, or puts them from there.
 *
 *   timeout_ns  for each chain; 0: the option call_timeout
 *
 *   TC_OK             all rows were moved
 *   TC_E_TOO_LARGE    there are no rows; or as tc_window_chain
 *   as tc_window_chain  the rows of earlier chains were moved */
TC_MUST_CHECK static inline tc_status tc_window_get_rows(tc_ep *ep, const tc_window_rows *rows,
                                                         uint64_t timeout_ns, tc_error *err)
{
    return tc_window_rows_move(ep, rows, TC_WINDOW_GET, timeout_ns, err);
}

TC_MUST_CHECK static inline tc_status tc_window_put_rows(tc_ep *ep, const tc_window_rows *rows,
                                                         uint64_t timeout_ns, tc_error *err)
{
    return tc_window_rows_move(ep, rows, TC_WINDOW_PUT, timeout_ns, err);
}

#ifdef __cplusplus
}
#endif
#endif
