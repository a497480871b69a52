/* Quotas at a target that peers reach in normal use: their errors, and that nothing is lost. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"

/* A rate below the sender's: the excess comes later, all of it and in order, whether the target
 * sleeps or not. */
TEST(messages_beyond_the_rate_come_later)
{
    enum { RATE = 2000, MESSAGES = 3200 };
    pair p;
    const uint64_t begun_ns = tci_clock_ns();
    pair_open(&p, (const char *const[]){"quota_message_rate", "2000", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < MESSAGES; n++)
        pair_send_check(p.ep, check, n, n % 100);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, MESSAGES);
    assert_int_equal(p.target_state.wrong, 0);
    const uint64_t taken_ns = tci_clock_ns() - begun_ns;
    assert_true(taken_ns >= (MESSAGES - RATE) * TCI_NS_PER_S / RATE);
    pair_close(&p);
}

/* The last messages of a peer that closes are waited for like the others. */
TEST(who_closes_is_heard_to_the_end)
{
    enum { MESSAGES = 60 };
    pair p;
    pair_open(&p,
              (const char *const[]){"quota_message_rate", "50", "close_timeout", "60s", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < MESSAGES; n++)
        pair_send_check(p.ep, check, n, 10);
    tc_ep_close(p.ep);
    p.ep = NULL;
    server_pause(&p.server);
    assert_int_equal(p.target_state.next, MESSAGES);
    server_resume(&p.server);
    pair_close(&p);
}

TEST(connections_beyond_the_quota_are_refused)
{
    pair p;
    tc_ep *ep = NULL;
    tc_error error = {0};
    pair_open(&p, (const char *const[]){"quota_connections", "2", NULL});
    tc_ep *second = pair_connect(&p);
    tc_status status = tc_ep_connect(p.source, p.host_port, PAIR_TIMEOUT_NS, &ep, &error);
    assert_status(status, TC_E_REFUSED);
    if (strstr(error.text, "have 2 connections, option quota_connections is 2") == NULL)
        fail_msg("%s", error.text);
    pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, 10);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 1);
    tc_ep_close(second);
    /* Space is freed when the target is notified of the end. */
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    do {
        status = tc_ep_connect(p.source, p.host_port, PAIR_TIMEOUT_NS, &second, &error);
    } while (status == TC_E_REFUSED && tci_clock_ns() < deadline_ns);
    must(status, &error, "connect");
    tc_ep_close(second);
    pair_close(&p);
}

TEST(functions_beyond_the_quota_are_refused)
{
    pair p;
    tc_error error = {0};
    pair_open(&p, (const char *const[]){"quota_functions", "1", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check");
    pair_send_check(p.ep, check, 0, 10);
    pair_flush(p.ep);
    assert_ok(tc_send(p.ep, pair_ifunc(&p, "doubled"), "ab", 2));
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, &error), 1);
    assert_status(error.status, TC_E_TOO_LARGE);
    if (strstr(error.text, "hold 1 functions, option quota_functions is 1") == NULL)
        fail_msg("%s", error.text);
    pair_send_check(p.ep, check, 1, 10);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 2);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}
