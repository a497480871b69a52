/* Waiting in a loop for the other process of a session. */
#ifndef TC_PERF_POLL_H
#define TC_PERF_POLL_H

#include "perf_session.h"

/* The state of one polling loop. Every loop of every mode ends a turn that found nothing with
 * perf_poll_missed and nothing else, so that all modes wait alike. */
typedef struct perf_poll {
    perf_session *session;
    uint64_t misses;
    uint64_t quiet_since_ns; /* 0 until the first rest */
} perf_poll;

/* Rare enough that no wait for a neighbouring processor ever rests: a loop on one word of
 * memory turns once per cycle. */
#define PERF_MISSES_PER_REST 8192

static inline void perf_poll_init(perf_poll *poll, perf_session *session)
{
    *poll = (perf_poll){.session = session};
}

/* Gives the processor up for a moment and looks at the clock. False, after a complaint, when
 * the other side is gone or silent. */
bool perf_poll_rest(perf_poll *poll);

static inline bool perf_poll_missed(perf_poll *poll)
{
    return ++poll->misses % PERF_MISSES_PER_REST != 0 || perf_poll_rest(poll);
}

/* Something came: the silence is over. Reads before it writes: a sender's stores leave its
 * processor in order, and each one more per message delays the message. */
static inline void perf_poll_hit(perf_poll *poll)
{
    if (poll->misses != 0) {
        poll->misses = 0;
        poll->quiet_since_ns = 0;
    }
}

#endif
