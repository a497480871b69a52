/* The common behaviour of deliveries; run once for each (see CMakeLists.txt). */
#include "../support/pair.h"
#include "../support/test.h"

#include <sched.h>
#include <tc/advanced.h>

static const char *const small_ring[] = {"ring_bytes", "4K", NULL};

static void close_checked(pair *p, uint64_t messages)
{
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, messages);
    pair_close(p);
}

PAIR_TEST(the_delivery_is_the_one_asked_for)
{
    tc_ep_info info;
    tc_ep_query(p->ep, &info);
    assert_string_equal(info.delivery, getenv("EXPECTED_DELIVERY"));
}

TEST(payloads_of_every_size_arrive_whole)
{
    pair p;
    tc_ep_info info;
    uint64_t n = 0;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (size_t size = 0; size <= 600; size++)
        pair_send_check(p.ep, fn, n++, size);
    for (size_t size = 1024; size <= 65536; size *= 2) {
        for (size_t around = size - 17; around <= size + 17; around++)
            pair_send_check(p.ep, fn, n++, around);
    }
    tc_ep_query(p.ep, &info);
    assert_true(info.frame_payload_max >= 65536);
    for (size_t around = info.frame_payload_max - 2; around <= info.frame_payload_max + 2;
         around++)
        pair_send_check(p.ep, fn, n++, around);
    pair_flush(p.ep);
    close_checked(&p, n);
}

/* In a ring of 64 granules every start and every gap before the end comes up many times. */
TEST(a_small_ring_wraps_at_every_offset)
{
    pair p;
    tc_ep_info info;
    pair_open(&p, small_ring);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    tc_ep_query(p.ep, &info);
    for (uint64_t n = 0; n < 20000; n++)
        pair_send_check(p.ep, fn, n,
                        (size_t)(n * 2654435761u >> 7) % (info.frame_payload_max + 1));
    pair_flush(p.ep);
    close_checked(&p, 20000);
}

TEST(a_full_ring_says_again_and_loses_nothing)
{
    pair p;
    uint64_t n = 0;
    uint8_t payload[100];
    tc_status status = TC_OK;
    pair_open(&p, small_ring);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    pair_send_check(p.ep, fn, n++, 100);
    pair_flush(p.ep);
    for (int round = 0; round < 20; round++) {
        pair_pause(&p);
        for (int tries = 0; tries < 1000; tries++) {
            check_fill(payload, n, sizeof payload);
            status = tc_send(p.ep, fn, payload, sizeof payload);
            n += status == TC_OK;
            (void)tc_progress(p.source);
        }
        assert_status(status, TC_E_AGAIN);
        assert_status(tc_ep_flush(p.ep, 1000000, NULL), TC_E_TIMEOUT);
        pair_resume(&p);
        pair_flush(p.ep);
    }
    close_checked(&p, n);
}

#define MANY 24

TEST(many_rings_keep_their_own_order)
{
    pair p;
    tc_ep *eps[MANY];
    uint64_t n = 0;
    pair_open(&p, small_ring);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (int i = 0; i < MANY; i++)
        eps[i] = pair_connect(&p);
    /* One state counts for all, so the endpoints take turns, with a flush between. */
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < MANY; i++) {
            for (int k = 0; k < 30; k++)
                pair_send_check(eps[i], fn, n++, (size_t)(k * 11));
            pair_flush(eps[i]);
        }
    }
    for (int i = 0; i < MANY; i++)
        tc_ep_close(eps[i]);
    close_checked(&p, n);
}

TEST(a_slow_consumer_is_waited_for)
{
    pair p;
    pair_open(&p, small_ring);
    p.target_state.nap_us = 200;
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 500; n++)
        pair_send_check(p.ep, fn, n, 300);
    pair_flush(p.ep);
    close_checked(&p, 500);
}

TEST(code_with_every_message_runs_the_same)
{
    pair p;
    uint8_t payload[64];
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 2000; n++) {
        tc_status status;
        check_fill(payload, n, n % sizeof payload);
        while ((status = tc_send_uncached(p.ep, fn, payload, n % sizeof payload)) == TC_E_AGAIN)
            (void)tc_progress(p.source);
        assert_ok(status);
    }
    pair_flush(p.ep);
    close_checked(&p, 2000);
}

TEST(code_too_large_for_a_frame_comes_outside_the_ring)
{
    pair p;
    pair_open(&p, small_ring);
    tc_ifunc *bulky = pair_ifunc(&p, "bulky");
    assert_true(tc_ifunc_code_size(bulky) > 65536);
    for (int i = 0; i < 100; i++)
        pair_send_check(p.ep, bulky, 0, (size_t)i);
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, NULL), 0);
    close_checked(&p, 100);
}

TEST(payload_init_runs_on_the_source)
{
    pair p;
    uint8_t args[500];
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "doubled");
    memset(args, 3, sizeof args);
    for (size_t n = 0; n < sizeof args; n++)
        assert_ok(pair_send(p.ep, fn, args, n));
    args[0] = 0xff;
    assert_status(pair_send(p.ep, fn, args, 1), TC_E_PAYLOAD);
    args[0] = 3;
    assert_ok(pair_send(p.ep, fn, args, 2));
    pair_flush(p.ep);
    assert_int_equal(p.target_state.bytes, 2 * (499 * 500 / 2) + 4);
    close_checked(&p, sizeof args + 1);
}

TEST(messages_are_built_once_and_sent_often)
{
    pair p;
    uint8_t args[10] = {0};
    tc_message *message;
    size_t size;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "doubled");
    assert_ok(tc_message_create(fn, args, sizeof args, &message, NULL));
    uint8_t *payload = tc_message_payload(message, &size);
    assert_int_equal(size, 20);
    tc_ep *other = pair_connect(&p);
    for (int i = 0; i < 100; i++) {
        payload[0] = payload[1] = (uint8_t)i;
        assert_ok(tc_message_send(i % 2 ? p.ep : other, message));
    }
    tc_message_destroy(message);
    pair_flush(p.ep);
    pair_flush(other);
    tc_ep_close(other);
    close_checked(&p, 100);
}

TEST(a_refused_function_is_named_and_others_go_on)
{
    pair p;
    tc_error error;
    tc_status status;
    pair_open(&p, NULL);
    tc_ifunc *unbound = pair_ifunc(&p, "unbound");
    tc_ifunc *check = pair_ifunc(&p, "check");
    assert_ok(tc_send(p.ep, unbound, "x", 1));
    pair_send_check(p.ep, check, 0, 10);
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, &error), 1);
    pair_check_unbound(&error);
    assert_status(tc_send(p.ep, unbound, "x", 1), TC_E_REFUSED);
    pair_send_check(p.ep, check, 1, 10);
    pair_flush(p.ep);
    /* Another endpoint learns of it by itself. */
    tc_ep *other = pair_connect(&p);
    assert_ok(tc_send(other, unbound, "x", 1));
    status = tc_ep_flush(other, PAIR_TIMEOUT_NS, NULL);
    assert_ok(status);
    assert_int_equal(tc_ep_refusal(other, &error), 1);
    tc_ep_close(other);
    close_checked(&p, 2);
}

TEST(functions_answer_from_inside)
{
    pair p;
    uint8_t payload[40] = {200};
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "echo");
    for (int i = 0; i < 50; i++)
        assert_ok(pair_send(p.ep, fn, payload, sizeof payload));
    /* 50 balls, 200 throws each: half of the throws arrive here. */
    while (p.source_state.next < 50 * 100)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    pair_flush(p.ep);
    assert_int_equal(p.source_state.wrong, 0);
    close_checked(&p, 50 * 101);
}

TEST(large_payloads_keep_their_place_in_the_order)
{
    pair p;
    uint64_t n = 0;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    static const size_t sizes[] = {1u << 20, 200000, (4u << 20) + 1, 131072, 10u << 20, 262144};
    pair_send_check(p.ep, fn, n++, 3u << 20); /* the first message, its code in front */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pair_send_check(p.ep, fn, n++, sizes[i]);
        for (size_t small = 0; small < 20; small++)
            pair_send_check(p.ep, fn, n++, small * 5);
    }
    pair_flush(p.ep);
    close_checked(&p, n);
}

TEST(large_payloads_pass_a_small_ring)
{
    pair p;
    tc_ep_info info;
    pair_open(&p, small_ring);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 40; n++)
        pair_send_check(p.ep, fn, n, (size_t)(1600 + n * 997));
    pair_flush(p.ep);
    tc_ep_query(p.ep, &info);
    assert_int_equal(info.sent_messages, 40);
    close_checked(&p, 40);
}

/* Many in a row, so that the space for them is used again and again, in different ways: none,
 * one that most do not fit in, the usual one. */
TEST(large_payloads_follow_each_other_closely)
{
    static const char *const landing[] = {"0", "128K", "1M", "4M"};
    for (size_t i = 0; i < sizeof landing / sizeof landing[0]; i++) {
        pair p;
        pair_open(&p, (const char *const[]){"staging_bytes", landing[i], NULL});
        tc_ifunc *fn = pair_ifunc(&p, "check");
        for (uint64_t n = 0; n < 40; n++) {
            size_t size = (size_t)(110000 + n * n * 977 % 900000);
            pair_send_check(p.ep, fn, n, n % 3 == 2 ? size % 5000 : size);
        }
        pair_flush(p.ep);
        close_checked(&p, 40);
    }
}

/* The caller may do anything with a payload that was sent. */
TEST(a_payload_that_was_sent_may_be_changed)
{
    pair p;
    static uint8_t payload[700000];
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 12; n++) {
        check_fill(payload, n, sizeof payload - n);
        assert_ok(pair_send(p.ep, fn, payload, sizeof payload - n));
        memset(payload, 0xee, sizeof payload);
    }
    pair_flush(p.ep);
    close_checked(&p, 12);
}

TEST(large_payloads_of_a_refused_function_are_passed_over)
{
    pair p;
    static uint8_t payload[600000];
    tc_status status = TC_OK;
    tc_error error;
    pair_open(&p, NULL);
    tc_ifunc *refused = pair_ifunc(&p, "unbound"), *check = pair_ifunc(&p, "check");
    for (int i = 0; i < 5 && status == TC_OK; i++)
        status = pair_send(p.ep, refused, payload, sizeof payload);
    assert_true(status == TC_OK || status == TC_E_REFUSED);
    pair_send_check(p.ep, check, 0, sizeof payload);
    pair_flush(p.ep);
    assert_true(tc_ep_refusal(p.ep, &error) >= 1);
    assert_status(pair_send(p.ep, refused, payload, sizeof payload), TC_E_REFUSED);
    close_checked(&p, 1);
}

TEST(payloads_above_the_limit_are_refused_and_others_go_on)
{
    pair p;
    tc_error error;
    tc_status status;
    pair_open(&p, (const char *const[]){"payload_bytes_max", "300000", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check");
    static uint8_t bytes[300001];
    assert_status(tc_send(p.ep, check, bytes, sizeof bytes), TC_E_TOO_LARGE);
    pair_send_check(p.ep, check, 0, 300000);
    pair_flush(p.ep);
    close_checked(&p, 1);

    /* The target's limit, which the source does not know. */
    tc_options *opts;
    pair_open(&p, (const char *const[]){"payload_bytes_max", "300000", NULL});
    assert_ok(tc_options_create(&opts, NULL));
    tc_context *other;
    tc_ep *ep;
    tc_ifunc *fn;
    assert_ok(tc_context_create(opts, &other, &error));
    tc_options_destroy(opts);
    assert_ok(tc_ep_connect(other, p.host_port, PAIR_TIMEOUT_NS, &ep, &error));
    assert_ok(tc_ifunc_open(other, "check", &fn, &error));
    pair_provide(&p, fn, "check");
    uint8_t *large = calloc(1, 5000000);
    status = pair_send(ep, fn, large, 5000000);
    assert_true(status == TC_OK || status == TC_E_TOO_LARGE);
    free(large);
    if (status == TC_OK)
        pair_flush(ep);
    assert_true(tc_ep_refusal(ep, &error) >= 1);
    assert_status(error.status, TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "300000"));
    pair_send_check(ep, fn, 0, 1000);
    pair_flush(ep);
    tc_ep_close(ep);
    tc_context_destroy(other);
    close_checked(&p, 1);
}

TEST(large_payloads_are_made_once)
{
    pair p;
    static uint8_t args[150001];
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "doubled");
    memset(args, 7, sizeof args);
    for (size_t i = 0; i < 10; i++)
        assert_ok(pair_send(p.ep, fn, args, sizeof args - i));
    args[0] = 0xff;
    assert_status(pair_send(p.ep, fn, args, sizeof args), TC_E_PAYLOAD);
    args[0] = 7;
    assert_ok(pair_send(p.ep, fn, args, 3));
    pair_flush(p.ep);
    close_checked(&p, 11);
}

/* Balls of 300 KB that two targets throw at each other from inside the function. */
TEST(large_answers_come_from_inside_a_function)
{
    pair p;
    static uint8_t payload[300000];
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "echo");
    payload[0] = 50;
    assert_ok(pair_send(p.ep, fn, payload, sizeof payload));
    while (p.source_state.next < 25)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    pair_flush(p.ep);
    assert_int_equal(p.source_state.wrong, 0);
    close_checked(&p, 26);
}
