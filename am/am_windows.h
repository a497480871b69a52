/* The windows of a rank, and its knowledge of those of the others. */
#ifndef TCA_AM_WINDOWS_H
#define TCA_AM_WINDOWS_H

#include "am_state.h"

/* The answer to TCA_DESCRIBE, 32 bytes. */
typedef struct tca_window_facts {
    tc_gptr pointer; /* zeroed without memory */
    uint64_t bytes;
    uint32_t is_shared;
    uint32_t unused; /* 0 */
} tca_window_facts;

/* Opens a window under the lowest free number.
 *
 *   as tc_window_open */
TC_MUST_CHECK tc_status tca_window_make(tc_ams *ams, const tc_am_window_params *params,
                                        tc_am_window **window_out, tc_error *err);
void tca_window_free(tc_am_window *window);

/* Returns the facts of this rank's part. */
tca_window_facts tca_window_describe(const tc_am_window *window);

/* Learns a rank's facts, once; blocks then, as tc_call does.
 *
 *   as tc_am_window_find */
TC_MUST_CHECK tc_status tca_window_learn(tc_am_window *window, uint32_t rank,
                                         uint64_t timeout_ns, tc_error *err);

/* Returns a rank's memory as this process sees it, or NULL: it has to compute there. Asks for
 * it and maps it once, outside of functions; blocks then.
 *
 *   bytes_out  of the rank's window */
void *tca_window_reach(tc_am_window *window, uint32_t rank, uint64_t *bytes_out);

/* TC_E_NOT_FOUND: the group has no such rank. */
TC_MUST_CHECK tc_status tca_window_check_rank(const tc_am_window *window, uint32_t rank,
                                              tc_error *err);

/* Checks a range against a window, without overflow. */
static inline bool tca_window_has(uint64_t window_bytes, uint64_t at, uint64_t bytes)
{
    return at <= window_bytes && bytes <= window_bytes - at;
}

#endif
