/* Hundreds of endpoints into one target, and a bound on the memory of their rings. */
#include "../../benchmarks/process_sample.h"
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <unistd.h>
#include <tc/advanced.h>

#define ENDPOINTS 256u
#define MAPPED 100u /* as many as there is memory for */
#define ROUNDS 3u

static const char *const options[] = {"ring_bytes", "32K", "ring_memory_max", "3200K", NULL};
static const char *const no_memory[] = {"ring_memory_max", "0", NULL};
static const char *const only_direct[] = {"delivery", "direct", NULL};

static void expect_delivery(const tc_ep *ep, const char *delivery)
{
    tc_ep_info info;
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, delivery);
}

TEST(rings_stay_within_their_memory)
{
    pair p;
    tc_ep *eps[ENDPOINTS];
    uint64_t n = 0;
    pair_open(&p, options);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    eps[0] = p.ep;
    p.ep = NULL;
    for (unsigned i = 1; i < ENDPOINTS; i++)
        eps[i] = pair_connect(&p);
    for (unsigned i = 0; i < ENDPOINTS; i++)
        expect_delivery(eps[i], i < MAPPED ? "direct" : "am");
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < ENDPOINTS; i++) {
            pair_send_check(eps[i], fn, n++, 1 + 61 * i); /* some in pieces */
            pair_flush(eps[i]);
        }
    }
    assert_int_equal(test_counter(p.source, "rings_closed"), ENDPOINTS - MAPPED);
    for (unsigned i = 0; i < ENDPOINTS; i++)
        tc_ep_close(eps[i]);
    assert_int_equal(p.target_state.next, n);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

TEST(memory_that_is_given_back_is_given_again)
{
    pair p;
    pair_open(&p, options);
    for (unsigned i = 0; i < 2 * MAPPED; i++) {
        expect_delivery(p.ep, "direct");
        tc_ep_close(p.ep);
        p.ep = pair_connect(&p);
    }
    pair_close(&p);
}

TEST(without_ring_memory_all_go_by_message)
{
    pair p;
    pair_open(&p, no_memory);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    expect_delivery(p.ep, "am");
    for (uint64_t n = 0; n < 2000; n++)
        pair_send_check(p.ep, fn, n, n);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 2000);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

static void expect_no_direct(const char *const *of_the_peer, const char *why)
{
    pair p;
    tc_ep *ep;
    tc_error error = {0};
    pair_open(&p, of_the_peer);
    tc_context *insisting = test_context(only_direct);
    tc_status status = tc_ep_connect(insisting, p.host_port, PAIR_TIMEOUT_NS, &ep, &error);
    if (strstr(error.text, why) == NULL)
        fail_msg("%s: %s", tc_status_name(status), error.text);
    tc_context_destroy(insisting);
    pair_close(&p);
}

TEST(who_insists_on_direct_hears_why_not)
{
    expect_no_direct(no_memory, "cannot be mapped");
    expect_no_direct((const char *const[]){"delivery", "put", NULL},
                     "its option delivery has to be put");
}

/* --- copies of peers' rings -------------------------------------------------------------- */

#define COPIES 4u
#define RING_MB 2u

static const char *const few_copies[] = {"delivery", "am", "ring_memory_max", "8M", NULL};
static const char *const large_rings[] = {
    "delivery", "am", "ring_memory_max", "1G", "ring_bytes", "2M", NULL};

static uint64_t memory_now(void)
{
    process_sample now;
    assert_true(process_sample_take(getpid(), &now));
    return now.rss_bytes;
}

/* A peer states the size of its ring, and this side keeps a copy. */
TEST(copies_of_rings_have_a_bound)
{
    pair p;
    tc_ep *ep;
    tc_error error = {0};
    pair_open(&p, few_copies);
    tc_context *greedy = test_context(large_rings);
    for (unsigned i = 0; i < COPIES - 1; i++) /* one is the pair's, 256 KiB */
        must(tc_ep_connect(greedy, p.host_port, PAIR_TIMEOUT_NS, &ep, &error), &error,
             "connect");
    assert_status(tc_ep_connect(greedy, p.host_port, PAIR_TIMEOUT_NS, &ep, &error),
                  TC_E_REFUSED);
    assert_non_null(strstr(error.text, "of option ring_memory_max"));
    tc_ep_close(ep);
    tc_status status = TC_E_REFUSED;
    for (unsigned i = 0; status == TC_E_REFUSED && i < 1000; i++) /* until that has gone */
        status = tc_ep_connect(greedy, p.host_port, PAIR_TIMEOUT_NS, &ep, &error);
    must(status, &error, "connect");
    tc_context_destroy(greedy);
    pair_close(&p);
}

TEST(rings_that_are_not_used_take_no_memory)
{
    pair p;
    pair_open(&p, large_rings);
    uint64_t before = memory_now();
    for (unsigned i = 0; i < 64; i++)
        (void)pair_connect(&p);
    assert_in_range(memory_now() - before, 0, 64 * (RING_MB << 20) / 2);
    pair_close(&p);
}
