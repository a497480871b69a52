/* Series of calls that are answered, one after the other or several at once, for the modes of
 * the library's own calls. */
#ifndef TC_PERF_MODE_CALL_H
#define TC_PERF_MODE_CALL_H

#include "ifunc_link.h"
#include "perf_mode.h"

typedef struct call_state call_state;

/* One of those that may be under way at once. */
typedef struct flight {
    call_state *owner;
    uint64_t started;
    uint64_t value; /* of a window's word */
} flight;

/* The beginning of a mode's state. */
struct call_state {
    ifunc_link link;
    uint64_t *counter; /* of the function, here */
    uint64_t awaited;  /* its final value at the target when all calls have run */
    uint64_t put;      /* source: the last number that was put there */
    bool is_reading;   /* nothing counts: the target knows of no end */
    unsigned char *payload;
    size_t payload_bytes;
    uint64_t *ticks; /* where to write how long each took; NULL: not recorded */
    uint64_t finished;
    uint64_t failed;
    tc_status failure; /* of the first that failed */
    /* Does one, or starts it. */
    tc_status (*block)(call_state *state, tc_error *err);
    tc_status (*start)(call_state *state, flight *f);
    unsigned free_count;
    flight **free;
    flight *flights; /* calls_at_once of them */
};

/* Both sides at once: for the mode's function, or else the experiment's. */
bool mode_call_open(perf_series *series);

/* Ends one that was started. */
void mode_call_ended(flight *f, tc_status status);

/* Blocking calls where one is under way at once, else started ones. */
bool mode_call_latency(perf_series *series, uint64_t count, uint64_t *ticks);
bool mode_call_rate(perf_series *series, uint64_t count);
bool mode_call_serve(perf_series *series, uint64_t count);
void mode_call_release(perf_series *series);

/* A row of the modes of calls. */
#define MODE_CALL(text, opens, called, latency, rate)                                          \
    {                                                                                          \
        .name = text, .has_deliveries = true, .function = called,                              \
        .state_bytes = sizeof(call_state), .open = opens, .source_latency = latency,           \
        .target_latency = mode_call_serve, .source_rate = rate,                                \
        .target_rate = mode_call_serve, .close = ifunc_link_close_mode,                        \
        .release = mode_call_release                                                           \
    }

#endif
