/* Every call that can fail reports the reason: in its own tc_error, and calls that send by
 * tc_send_error. Run once for each delivery. */
#include "../support/pair.h"
#include "../support/test.h"

#include <sys/uio.h>
#include <tc/advanced.h>
#include <tc/group.h>

static void expect_error(const tc_error *error, tc_status status, const char *part)
{
    assert_int_equal(error->status, status);
    if (strstr(error->text, part) == NULL)
        fail_msg("no '%s' in: %s", part, error->text);
}

/* The error of the newest send that failed. */
static void expect_send_error(const pair *p, tc_status status, const char *part)
{
    tc_error error = {TC_OK, ""};
    assert_int_equal(tc_send_error(p->source, &error), status);
    expect_error(&error, status, part);
}

static void open_small(pair *p)
{
    pair_open(p, (const char *const[]){"ring_bytes", "4K", "payload_bytes_max", "64K", NULL});
}

/* --- sending ------------------------------------------------------------------------------ */

TEST(a_send_that_failed_has_a_text)
{
    static uint8_t large[(64u << 10) + 1] = {0xff};
    tc_error error = {TC_E_AGAIN, "untouched"};
    tc_message *message;
    pair p;
    open_small(&p);
    tc_ifunc *doubled = pair_ifunc(&p, "doubled"), *check = pair_ifunc(&p, "check");
    assert_ok(tc_send_error(p.source, &error));
    expect_error(&error, TC_E_AGAIN, "untouched");
    assert_ok(tc_send_error(p.source, NULL));

    assert_status(tc_send(p.ep, check, large, sizeof large), TC_E_TOO_LARGE);
    expect_send_error(&p, TC_E_TOO_LARGE, "above the 65536 bytes");
    assert_status(tc_send(p.ep, doubled, large, 1), TC_E_PAYLOAD);
    expect_send_error(&p, TC_E_PAYLOAD, "payload_init returned");
    assert_status(tc_send_uncached(p.ep, check, large, sizeof large), TC_E_TOO_LARGE);
    expect_send_error(&p, TC_E_TOO_LARGE, "above the 65536 bytes");
    assert_status(tc_send_wait(p.ep, doubled, large, 1, 0, &error), TC_E_PAYLOAD);
    expect_error(&error, TC_E_PAYLOAD, "payload_init returned");

    assert_status(tc_message_create(doubled, large, 1, &message, &error), TC_E_PAYLOAD);
    expect_error(&error, TC_E_PAYLOAD, "doubled: its payload_init returned");
    assert_ok(tc_message_create(check, large, sizeof large, &message, &error));
    assert_status(tc_message_send(p.ep, message), TC_E_TOO_LARGE);
    expect_send_error(&p, TC_E_TOO_LARGE, "above the 65536 bytes");
    tc_message_destroy(message);
    pair_close(&p);
}

TEST(a_full_ring_is_no_failure)
{
    uint8_t payload[1024];
    uint64_t sent = 0;
    pair p;
    open_small(&p);
    tc_ifunc *check = pair_ifunc(&p, "check");
    pair_pause(&p);
    tc_status status;
    do {
        check_fill(payload, sent, sizeof payload);
        status = tc_send(p.ep, check, payload, sizeof payload);
        sent += status == TC_OK;
    } while (status == TC_OK && sent < 1u << 20);
    assert_status(status, TC_E_AGAIN);
    assert_ok(tc_send_error(p.source, NULL));
    pair_resume(&p);
    pair_close(&p);
}

PAIR_TEST(what_the_peer_refused_has_its_reason)
{
    tc_error error;
    tc_ifunc *unbound = pair_ifunc(p, "unbound");
    assert_ok(pair_send(p->ep, unbound, "x", 1));
    assert_ok(tc_ep_flush(p->ep, PAIR_TIMEOUT_NS, &error));
    assert_int_equal(tc_ep_refusal(p->ep, &error), 1);
    const char *reason = error.text;
    assert_status(tc_send(p->ep, unbound, "x", 1), TC_E_REFUSED);
    expect_send_error(p, TC_E_REFUSED, reason);

    tc_error of_call = {TC_OK, ""};
    const tc_call_params params = {.timeout_ns = 0};
    assert_status(tc_call_start(p->ep, unbound, "x", 1, &params, NULL, &of_call), TC_E_REFUSED);
    expect_error(&of_call, TC_E_REFUSED, reason);
    assert_status(tc_call_start_sized(p->ep, unbound, "x", 1, &params, 0, NULL, NULL),
                  TC_E_REFUSED);
    assert_status(tc_call(p->ep, unbound, "x", 1, NULL, NULL, 0, &of_call), TC_E_REFUSED);
    expect_error(&of_call, TC_E_REFUSED, reason);
    const struct iovec part = {"x", 1};
    of_call.status = TC_OK;
    assert_int_equal(tc_send_start(p->ep, unbound, &part, 1, NULL, &of_call), TC_E_REFUSED);
    expect_error(&of_call, TC_E_REFUSED, reason);
    of_call.status = TC_OK;
    assert_int_equal(tc_ep_prepare(p->ep, unbound, PAIR_TIMEOUT_NS, &of_call), TC_E_REFUSED);
    expect_error(&of_call, TC_E_REFUSED, reason);
    assert_int_equal(tc_ep_prepare(p->ep, unbound, PAIR_TIMEOUT_NS, NULL), TC_E_REFUSED);
}

PAIR_TEST(a_rank_that_is_none_is_named)
{
    const tc_group_member own = {"", 0};
    const tc_group_params params = {.id = 7, .rank = 0, .size = 1, .members = &own};
    tc_error error;
    tc_group *group;
    assert_ok(tc_group_create(p->source, &params, &group, &error));
    assert_status(tc_group_send(group, 5, pair_ifunc(p, "check"), "x", 1), TC_E_NOT_FOUND);
    expect_send_error(p, TC_E_NOT_FOUND, "rank 5 of a group of 1");
}

/* --- waiting, and calls that do not send
 * ------------------------------------------------------ */

TEST(a_flush_that_failed_has_a_text)
{
    tc_error error, why;
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *check = pair_ifunc(&p, "check");
    pair_send_check(p.ep, check, 0, 8);
    pair_flush(p.ep);
    pair_pause(&p);
    pair_send_check(p.ep, check, 1, 8);
    assert_status(tc_ep_flush(p.ep, TC_MILLISECONDS(5), &error), TC_E_TIMEOUT);
    expect_error(&error, TC_E_TIMEOUT, "has not run all messages in time");
    pair_resume(&p);
    pair_flush(p.ep);
    server_stop(&p.server);
    tc_context_destroy(p.target);
    p.target = NULL;
    while (tc_ep_error(p.ep, &why) == TC_OK)
        (void)tc_progress(p.source);
    assert_int_equal(tc_ep_flush(p.ep, 0, &error), why.status);
    expect_error(&error, why.status, why.text);
    assert_int_equal(tc_send(p.ep, check, "x", 1), why.status);
    expect_send_error(&p, why.status, why.text);
    tc_ep_close(p.ep);
    tc_context_destroy(p.source);
}

static void nothing(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
}

static void nothing_again(void *payload, size_t size, void *target_args)
{
    nothing(payload, size, target_args);
}

TEST(other_calls_have_theirs)
{
    static const char name[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    tc_error error;
    pair p;
    pair_open(&p, NULL);
    assert_status(tc_context_publish(p.source, name, &p, 1, &error), TC_E_INVALID);
    expect_error(&error, TC_E_INVALID, "a name of 64 bytes, expected 63 at most");
    assert_ok(tc_context_publish(p.source, name + 1, &p, 1, &error));

    tc_ifunc *check = pair_ifunc(&p, "check"), *doubled = pair_ifunc(&p, "doubled");
    assert_status(tc_ifunc_use_local(check, NULL, &error), TC_E_INVALID);
    expect_error(&error, TC_E_INVALID, "check: no local function");
    assert_status(tc_ifunc_use_local(doubled, nothing, &error), TC_E_INVALID);
    expect_error(&error, TC_E_INVALID, "doubled: it makes its payloads");
    assert_ok(tc_ifunc_use_local(check, nothing, &error));
    assert_ok(tc_ifunc_use_local(check, nothing, &error));
    assert_status(tc_ifunc_use_local(check, nothing_again, &error), TC_E_INVALID);
    expect_error(&error, TC_E_INVALID, "check: it was loaded already");
    pair_close(&p);
}
