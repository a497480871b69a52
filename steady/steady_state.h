/* The state of a steady endpoint.
 *
 * A connection is away, there, or given up. A call is under way from its start to its end, and
 * either waits to be sent or was sent by the connection that is there:
 *
 *     start --> WAITING --send--> SENT --answer, deadline--> end
 *                  ^                |
 *                  +-- lost, and it may be sent again
 *
 * All calls are in one list, in the order in which they were started; those that wait are at
 * `cursor` or behind it. Callbacks may start, cancel and end any call, so a loop over the list
 * keeps its position in `walk`, which tcs_calls takes along when it removes a call. */
#ifndef STEADY_STATE_H
#define STEADY_STATE_H

#include "steady_pace.h"

#include <stdbool.h>
#include <tc/steady.h>

#define TCS_SMALL_BYTES 64u

typedef struct tcs_call {
    struct tcs_call *next; /* in the order of starts; bound: calls_max */
    struct tcs_call *previous;
    tc_steady *steady;
    tc_steady_call_id id;
    bool waits;
    bool begun;     /* its payload, above a frame, may be partly sent by this connection */
    bool abandoned; /* it has ended, but for the rest of such a payload */
    tc_call_id sent_as;
    uint64_t deadline_ns;
    tc_ifunc *fn;
    void *args; /* `small`, or allocated */
    size_t size;
    unsigned sent;
    unsigned unsure;
    tc_steady_call_params params;
    uint8_t small[TCS_SMALL_BYTES];
} tcs_call;

typedef struct tcs_calls {
    tcs_call **table; /* by the low half of an id, minus 1; NULL: free */
    size_t capacity;
    size_t count;
    size_t waiting;
    size_t next_free; /* where to look for a free slot first */
    uint32_t generation;
    tcs_call *first;
    tcs_call *last;
    tcs_call *cursor; /* no call before it waits; NULL: begin with the first */
    tcs_call *walk;
    uint64_t next_deadline_ns; /* not after that of any call that waits */
} tcs_calls;

struct tc_steady {
    tc_context *ctx;
    char *host_port;
    tc_steady_params params;
    tc_ep *ep; /* NULL: away, or given up */
    bool gave_up;
    bool is_closing;
    bool is_turning; /* in a call that makes attempts */
    unsigned in_callbacks;
    tcs_pace pace;
    uint64_t attempt_ns;   /* when the next attempt is due */
    uint64_t give_up_ns;   /* when to give up; UINT64_MAX: never */
    uint64_t connected_ns; /* when the connection was made */
    uint64_t attempts;     /* since the last connection ended */
    uint64_t events;       /* calls that ended, connections that came and went */
    tc_steady_info info;
    tcs_calls calls;
};

#endif
