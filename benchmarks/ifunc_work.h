/* The work of a series' function: the experiments tsi, ssum and iput are the same runs of the
 * same modes with another function, other payloads and another state at the target. */
#ifndef TC_PERF_IFUNC_WORK_H
#define TC_PERF_IFUNC_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A description of a wrong store. */
typedef struct ifunc_work_text {
    char text[160];
} ifunc_work_text;

typedef struct ifunc_work {
    const char *name; /* of the ifunc; an experiment has its function's name */

    /* The same source as the archive's, as a part of this program. */
    void (*local)(void *payload, size_t payload_size, void *target_args);

    /* The function's target_args for payloads of that size, to be given to free(); NULL when
     * out of memory. Begins with a uint64_t, the number of calls. */
    void *(*create)(size_t payload_bytes);

    /* Makes the payload that of message `number`, counted from 0 for each target. The rest is
     * as ifunc_work_fill left it. NULL: all messages are alike. */
    void (*stamp)(unsigned char *payload, size_t payload_bytes, uint64_t number);

    /* Returns whether the target has the results that the calls so far must have left.
     * `payload` is any message's of the same size. NULL: there is nothing but the calls. */
    bool (*check)(const void *target, const unsigned char *payload, size_t payload_bytes,
                  ifunc_work_text *wrong_out);
} ifunc_work;

/* By the name of its experiment; NULL: there is none. */
const ifunc_work *ifunc_work_find(const char *name);

/* Bytes that both processes agree on. */
void ifunc_work_fill(unsigned char *payload, size_t payload_bytes);

#endif
