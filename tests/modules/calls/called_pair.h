/* Two members of a group, and a call from near (rank 0) to far (rank 1). */
#ifndef TC_TEST_CALLED_PAIR_H
#define TC_TEST_CALLED_PAIR_H

#include "../../support/fake_node.h"
#include "heard.h"

static fake_pair pair;
static heard answer;
static unsigned runs;     /* of functions that count them */
static tc_status seen[4]; /* by a function */

static inline void join(uint32_t size)
{
    fake_pair_join(&pair, FAKE_MAPPED, size);
    memset(&answer, 0, sizeof answer);
    memset(seen, 0, sizeof seen);
    runs = 0;
}

static inline void start_by(tc_ep *ep, tc_ifunc *fn, uint32_t hop_limit, unsigned trace)
{
    tc_call_params params = heard_params(&answer);
    params.hop_limit = hop_limit;
    params.trace = trace;
    assert_ok(tc_call_start(ep, fn, "abcd", 4, &params, NULL, NULL));
    fake_pair_settle(&pair);
}

typedef void (*body)(void *payload, size_t size, void *target_args);

static inline void call(body main, uint32_t hop_limit, unsigned trace)
{
    start_by(pair.ep, fake_node_function(pair.near, "called", main), hop_limit, trace);
}

static inline void says_nothing(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
}

#endif
