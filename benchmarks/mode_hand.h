/* Numbers to send and memory for answers, of typed calls and of those that are packed by hand.
 * Both do the same but their packing, so the ratio of both is that of the stubs. */
#ifndef TC_PERF_MODE_HAND_H
#define TC_PERF_MODE_HAND_H

#include "ifuncs/typed.h"
#include "mode_call.h"

typedef struct hand_state {
    call_state call;
    uint64_t number;              /* the last that was sent */
    double values[TYPED_DOUBLES]; /* to be sent */
    unsigned char *answers;       /* of flights, as many doubles for each */
} hand_state;

/* Both sides at once.
 *
 *   payload_bytes  of a message */
bool mode_hand_open(perf_series *series, size_t payload_bytes);
void mode_hand_release(perf_series *series);

/* Memory for the answer of a call. */
static inline void *mode_hand_answer(flight *f)
{
    hand_state *state = (hand_state *)f->owner;
    const size_t bytes = TYPED_DOUBLES * sizeof(double);
    return state->answers + (size_t)(f - state->call.flights) * bytes;
}

/* The next number to send, of the call `f`, if it is one that is started. */
static inline uint64_t mode_hand_number(call_state *state, flight *f)
{
    const uint64_t number = ++((hand_state *)state)->number;
    if (f != NULL)
        f->value = number;
    return number;
}

/* The values to send, of which the first is a new number. */
static inline double *mode_hand_values(call_state *state, flight *f)
{
    double *values = ((hand_state *)state)->values;
    values[0] = (double)mode_hand_number(state, f);
    return values;
}

/* TC_E_INVALID for an answer with other values. */
tc_status mode_hand_check(tc_status status, bool is_right, tc_error *err);

/* A row of the modes, with the mode that its ratio is to, or NULL. */
#define MODE_HAND(text, opens, called, other)                                                  \
    {                                                                                          \
        .name = text, .has_deliveries = true, .function = called, .beside = other,             \
        .state_bytes = sizeof(hand_state), .open = opens, .source_latency = mode_call_latency, \
        .target_latency = mode_call_serve, .source_rate = mode_call_rate,                      \
        .target_rate = mode_call_serve, .close = ifunc_link_close_mode,                        \
        .release = mode_hand_release                                                           \
    }

#endif
