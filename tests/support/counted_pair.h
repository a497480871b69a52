/* A pair of nodes and a function of near's that counts its runs. far receives. */
#ifndef TC_TEST_COUNTED_PAIR_H
#define TC_TEST_COUNTED_PAIR_H

#include "fake_node.h"

static fake_pair pair;
static tc_ifunc *fn; /* its body is run */
static unsigned runs;

static void run(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
}

static inline void counted_pair_open(uint64_t delivery)
{
    fake_pair_open(&pair, delivery);
    fn = fake_node_function(pair.near, "run", run);
    runs = 0;
}

/* The same, and far has the code of fn. */
static inline void counted_pair_open_loaded(uint64_t delivery)
{
    counted_pair_open(delivery);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    runs = 0;
}

static inline tc_status counted_pair_send(tc_ifunc *f)
{
    tc_status status = tc_send(pair.ep, f, NULL, 0);
    fake_pair_settle(&pair);
    return status;
}

/* far has refused so many messages, the last one for that reason, and both sides go on. */
static inline void counted_pair_expect_refused(unsigned times, tc_status status,
                                               const char *text)
{
    tc_error error = {0};
    assert_int_equal(tc_ep_refusal(pair.ep, &error), times);
    assert_int_equal(error.status, status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    assert_true(tci_ep_is_open(pair.ep));
    assert_true(tci_ep_is_open(pair.peer));
}

/* The peer's frames have ended its endpoint before a function ran. */
static inline void counted_pair_expect_end(const char *text)
{
    fake_expect_failed(pair.peer, TC_E_CORRUPT, text);
    assert_int_equal(runs, 0);
    fake_pair_close(&pair);
}

#endif
