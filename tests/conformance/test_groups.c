/* How members of a group find each other, wait for each other, and lose each other. */
#include "../shipped/travel.h"
#include "../support/team.h"
#include "../support/test.h"
#include "../support/test_context.h"
#include "base/clock.h"
#include "context/context_object.h"

#include <unistd.h>
#include <tc/call.h>
#include <tc/ifunc.h>

#define SHORT_NS 150000000ull /* for waits that are meant to fail */

/* Closing one of two contexts of a thread, the other cannot help with its goodbye. */
static tc_context *make_context_with(const char *option, const char *value)
{
    return test_context((const char *const[]){"close_timeout", "50ms", option, value, NULL});
}

static tc_context *make_context(void)
{
    return make_context_with(NULL, NULL);
}

/* A list of `count` listeners that no other process has: at an address of this process's own,
 * and with ports that the system gives to no one who asks for any, also at all addresses. */
static void choose_hosts(tc_context *ctx, unsigned count, char *hosts, size_t capacity)
{
    size_t at = 0;
    for (unsigned port = 20000, chosen = 0; chosen < count; port++) {
        char host_port[40];
        tc_listener *listener;
        tc_error error = {0};
        (void)snprintf(host_port, sizeof host_port, "127.%u.%u.9:%u",
                       1 + (unsigned)getpid() / 256 % 254, (unsigned)getpid() % 256, port);
        tc_status status = tc_listener_open(ctx, host_port, &listener, &error);
        if (status == TC_E_IN_USE && port < 30000)
            continue;
        if (status != TC_OK)
            fail_msg("%s", error.text);
        at += (size_t)snprintf(hosts + at, capacity - at, "%s%s", chosen++ > 0 ? "," : "",
                               host_port);
        tc_listener_close(listener);
    }
}

static tc_group_member member_of(const char *text)
{
    return (tc_group_member){text, strlen(text)};
}

TEST(all_members_connect)
{
    team t;
    tc_error error = {0};
    team_open(&t, 6, NULL);
    assert_ok(tc_group_connect(t.groups[0], TEAM_TIMEOUT_NS, &error));
    for (uint32_t rank = 1; rank < t.size; rank++) {
        tc_ep_info info;
        tc_ep_query(team_ep(&t, rank), &info);
        assert_string_equal(info.delivery, getenv("EXPECTED_DELIVERY"));
    }
    assert_int_equal(tc_group_size(t.groups[0]), 6);
    assert_int_equal(tc_group_rank(t.groups[3]), 3);
    assert_int_equal(tc_group_id(t.groups[3]), 77);
    assert_ptr_equal(tc_group_context(t.groups[3]), t.contexts[3]);
    team_close(&t);
}

/* A port without a listener: rank 1 never comes. */
TEST(a_member_that_never_comes_is_named)
{
    tc_context *ctx = make_context_with("connect_timeout", "200ms");
    tc_group *group;
    tc_error error = {0};
    char address[40];
    choose_hosts(ctx, 1, address, sizeof address);
    const tc_group_member members[] = {member_of("127.0.0.1:1"), member_of(address)};
    const tc_group_params params = {.id = 5, .rank = 0, .size = 2, .members = members};
    assert_ok(tc_group_create(ctx, &params, &group, &error));
    assert_status(tc_group_connect(group, SHORT_NS / 3, &error), TC_E_TIMEOUT);
    assert_non_null(strstr(error.text, "rank 1"));
    assert_status(tc_group_connect(group, TEAM_TIMEOUT_NS, &error), TC_E_TIMEOUT);
    assert_non_null(strstr(error.text, "rank 1"));
    /* a message to it is reported */
    tc_ifunc *fn;
    assert_ok(tc_ifunc_open(ctx, "travel", &fn, &error));
    assert_ok(tc_group_send(group, 1, fn, "x", 1));
    while (tc_group_failures(group, &error) == 0)
        assert_int_not_equal(tc_wait(ctx, 10000000), TC_E_BUSY);
    assert_non_null(strstr(error.text, "rank 1"));
    /* and a call of it fails */
    tc_ep *ep;
    assert_ok(tc_group_ep(group, 1, &ep, &error));
    assert_status(tc_call(ep, fn, "x", 1, NULL, NULL, TEAM_TIMEOUT_NS, &error), TC_E_PEER_LOST);
    tc_context_destroy(ctx);
}

/* The events of a program's endpoints. */
typedef struct heard {
    const tc_ep *ep;
    unsigned opened, ended;
    tc_ep_event last;
    tc_status status; /* of the endpoint, as long as it is there */
} heard;

static void hear(void *user, tc_ep *ep, tc_ep_event event)
{
    heard *h = user;
    h->opened += event == TC_EP_OPENED;
    h->ended += event != TC_EP_OPENED;
    h->ep = ep;
    h->last = event;
    h->status = tc_ep_error(ep, NULL);
}

/* Until the program is notified of it, it may use the endpoint. */
TEST(an_endpoint_that_never_opens_is_not_freed_in_silence)
{
    tc_context *ctx = make_context_with("connect_timeout", "200ms");
    heard h = {.opened = 0};
    tc_group *group;
    tc_ep *ep;
    tc_error error = {0};
    const tc_group_member members[] = {member_of("127.0.0.1:2"), member_of("127.0.0.1:1")};
    const tc_group_params params = {.id = 5, .rank = 0, .size = 2, .members = members};
    tc_context_set_ep_callback(ctx, hear, &h);
    assert_ok(tc_group_create(ctx, &params, &group, &error));
    assert_ok(tc_group_ep(group, 1, &ep, &error));
    uint64_t deadline_ns = tci_deadline_after(TEAM_TIMEOUT_NS);
    while (h.ended == 0 && ctx->core.first != NULL && tci_deadline_left_ns(deadline_ns) > 0)
        assert_int_not_equal(tc_wait(ctx, 10000000), TC_E_BUSY);
    assert_int_equal(h.ended, 1);
    assert_int_equal(h.opened, 0);
    assert_ptr_equal(h.ep, ep);
    assert_int_equal(h.last, TC_EP_FAILED);
    assert_status(h.status, TC_E_TIMEOUT);
    tc_context_destroy(ctx);
}

/* A late member gets the messages sent to it before. */
TEST(a_member_may_come_late)
{
    tc_context *first = make_context(), *second = make_context();
    tc_group *a, *b;
    tc_error error = {0};
    char hosts[80];
    choose_hosts(first, 2, hosts, sizeof hosts);
    assert_status(tc_group_create_hosts(first, hosts, 2, &a, &error), TC_E_INVALID);
    assert_ok(tc_group_create_hosts(first, hosts, 0, &a, &error));
    tc_ifunc *fn;
    assert_ok(tc_ifunc_open(first, "travel", &fn, &error));
    const travel_order order = {.task = TRAVEL_NOTHING};
    for (unsigned i = 0; i < 10; i++)
        assert_ok(tc_group_send(a, 1, fn, &order, sizeof order));
    for (unsigned i = 0; i < 50; i++)
        (void)tc_progress(first);
    assert_ok(tc_group_create_hosts(second, hosts, 1, &b, &error));
    unsigned run = 0;
    while (run < 10) {
        (void)tc_progress(first);
        run += tc_progress(second);
    }
    tc_context_destroy(first);
    tc_context_destroy(second);
}

/* A member that sends and leaves has not waited until the endpoint is open. */
TEST(what_was_sent_comes_although_the_sender_leaves)
{
    for (unsigned round = 0; round < 2; round++) {
        team t;
        team_open(&t, 2, NULL);
        const travel_order order = {.task = TRAVEL_NOTHING};
        for (unsigned i = 0; i < 10; i++)
            assert_ok(tc_group_send(t.groups[0], 1, t.fn, &order, sizeof order));
        if (round == 0) {
            tc_group_destroy(t.groups[0]);
        } else {
            tc_context_destroy(t.contexts[0]);
            t.contexts[0] = NULL;
        }
        team_pause(&t);
        assert_int_equal(test_counter(t.contexts[1], "messages_run"), 10);
        team_resume(&t);
        team_close(&t);
    }
}

TEAM_TEST(a_flush_waits_for_a_member_that_is_not_there_yet)
{
    const travel_order order = {.task = TRAVEL_NOTHING};
    team_pause(t);
    assert_ok(tc_group_send(t->groups[0], 1, t->fn, &order, sizeof order));
    assert_status(tc_ep_flush(team_ep(t, 1), SHORT_NS, NULL), TC_E_TIMEOUT);
    team_resume(t);
    assert_ok(tc_ep_flush(team_ep(t, 1), TEAM_TIMEOUT_NS, NULL));
    team_pause(t);
    assert_int_equal(test_counter(t->contexts[1], "messages_run"), 1);
    team_resume(t);
}

/* A process that knows only the list is not a member, at any rank. */
TEST(members_know_the_secret)
{
    tc_context *first = make_context_with("group_secret", "of ours");
    tc_context *stranger = make_context_with("group_secret", "guessed");
    tc_context *second = make_context_with("group_secret", "of ours");
    tc_group *a, *b, *c;
    tc_ifunc *fn;
    tc_error error = {0};
    char hosts[80];
    choose_hosts(first, 2, hosts, sizeof hosts);
    assert_ok(tc_group_create_hosts(first, hosts, 0, &a, &error));
    assert_ok(tc_group_create_hosts(stranger, hosts, 1, &b, &error));
    assert_int_not_equal(tc_group_id(a), tc_group_id(b));
    assert_ok(tc_ifunc_open(first, "travel", &fn, &error));
    const travel_order order = {.task = TRAVEL_NOTHING};
    assert_ok(tc_group_send(a, 1, fn, &order, sizeof order));
    for (unsigned i = 0; i < 50; i++) {
        assert_int_not_equal(tc_group_connect(b, 1000000, &error), TC_OK);
        (void)tc_progress(first);
        assert_int_equal(tc_progress(stranger), 0); /* messages to rank 1 wait for it */
    }
    tc_context_destroy(stranger);
    assert_ok(tc_group_create_hosts(second, hosts, 1, &c, &error));
    assert_int_equal(tc_group_id(a), tc_group_id(c));
    tc_context_destroy(first);
    tc_context_destroy(second);
}

/* Somebody else answers there, or counts the members differently. */
TEST(members_have_to_agree)
{
    for (unsigned round = 0; round < 2; round++) {
        tc_context *first = make_context(), *second = make_context();
        tc_group *a, *b;
        tc_listener *listener;
        tc_ifunc *fn;
        tc_error error = {0};
        char address[32];
        assert_ok(tc_listener_open(second, "127.0.0.1:0", &listener, NULL));
        (void)snprintf(address, sizeof address, "127.0.0.1:%u", tc_listener_port(listener));
        const tc_group_member members[] = {member_of("127.0.0.1:1"), member_of(address),
                                           member_of(address)};
        tc_group_params params = {.id = 5, .rank = 0, .size = 3, .members = members};
        assert_ok(tc_group_create(first, &params, &a, &error));
        params.rank = round == 0 ? 2 : 1;
        params.size = round == 0 ? 3 : 2;
        assert_ok(tc_group_create(second, &params, &b, &error));
        assert_ok(tc_ifunc_open(first, "travel", &fn, &error));
        /* the first leaves before the answer is there; the second meets the failure or connects
         * again and fails as well */
        tc_ep *ep;
        assert_ok(tc_group_ep(a, 1, &ep, &error));
        assert_ok(tc_group_send(a, 1, fn, "x", 1));
        tc_status status;
        while ((status = tc_group_connect(a, 1000000, &error)) == TC_E_TIMEOUT)
            (void)tc_progress(second);
        if (status == TC_OK || strstr(error.text, "group: rank ") == NULL)
            fail_msg("%s: %s", tc_status_name(status), error.text);
        tc_context_destroy(first);
        tc_context_destroy(second);
    }
}

TEST(wrong_groups_are_refused)
{
    tc_context *ctx = make_context();
    tc_group *group, *other;
    tc_ep *ep;
    tc_error error = {0};
    tc_group_member members[] = {member_of("127.0.0.1:1"), member_of("127.0.0.1:2")};
    tc_group_params params = {.id = 5, .rank = 0, .size = 2, .members = members};
    params.id = 0;
    assert_status(tc_group_create(ctx, &params, &group, &error), TC_E_INVALID);
    params.id = 5;
    params.rank = 2;
    assert_status(tc_group_create(ctx, &params, &group, &error), TC_E_INVALID);
    params.rank = 0;
    members[1] = member_of("no port");
    assert_status(tc_group_create(ctx, &params, &group, &error), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "rank 1"));
    members[1] = member_of("TCHI");
    assert_status(tc_group_create(ctx, &params, &group, &error), TC_E_CORRUPT);
    members[1] = member_of("127.0.0.1:2");
    assert_ok(tc_group_create(ctx, &params, &group, &error));
    assert_status(tc_group_create(ctx, &params, &other, &error), TC_E_INVALID);
    assert_status(tc_group_ep(group, 2, &ep, &error), TC_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "rank 2 of a group of 2"));
    tc_group_destroy(group);
    assert_ok(tc_group_create(ctx, &params, &group, &error));
    tc_context_destroy(ctx);
}

/* The context of rank 1 ends in the middle of it all and a new one replaces it. */
TEST(a_member_that_went_can_come_back)
{
    tc_context *first = make_context(), *second = make_context();
    tc_group *a, *b;
    tc_error error = {0};
    tc_ifunc *fn;
    char hosts[80];
    choose_hosts(first, 2, hosts, sizeof hosts);
    assert_ok(tc_group_create_hosts(first, hosts, 0, &a, &error));
    assert_ok(tc_ifunc_open(first, "travel", &fn, &error));
    const travel_order order = {.task = TRAVEL_NOTHING};
    for (unsigned life = 0; life < 3; life++) {
        unsigned run = 0;
        assert_ok(tc_group_create_hosts(second, hosts, 1, &b, &error));
        tc_status status = tc_group_send(a, 1, fn, &order, sizeof order);
        assert_ok(status);
        while (run == 0) {
            (void)tc_progress(first);
            run = tc_progress(second);
        }
        tc_context_destroy(second);
        while (tc_wait(first, SHORT_NS) == TC_OK)
            ;
        second = make_context();
    }
    tc_context_destroy(first);
    tc_context_destroy(second);
}

static unsigned progress(void *context)
{
    return tc_progress(context);
}

/* UCX's port is open, but a context that has not given out its address greets no peer there. */
TEST(strangers_by_ucx_are_not_taken)
{
    tc_context *first = make_context(), *second = make_context();
    const tci_core *core = &second->core;
    tc_ep *ep;
    tc_error error = {0};
    server s;
    server_start(&s, progress, second);
    uint64_t deadline_ns = tci_deadline_after(TEAM_TIMEOUT_NS);
    do { /* on a busy machine it may give up before its HELLO is looked at */
        server_resume(&s);
        assert_int_not_equal(tc_ep_connect_address(first, core->own_address,
                                                   core->own_address_size, SHORT_NS, &ep,
                                                   &error),
                             TC_OK);
        server_pause(&s);
        assert_true(tci_clock_ns() < deadline_ns);
    } while (core->counters[TCI_STRANGERS_REFUSED] == 0);
    size_t size;
    const void *address = tc_context_address(second, &size);
    server_resume(&s);
    assert_ok(tc_ep_connect_address(first, address, size, TEAM_TIMEOUT_NS, &ep, &error));
    server_stop(&s);
    tc_context_destroy(first);
    tc_context_destroy(second);
}

/* Another listener at a member's address runs no message sent to that member. */
TEST(nothing_runs_at_a_stranger)
{
    tc_context *first = make_context_with("connect_timeout", "300ms"), *second = make_context();
    tc_group *group;
    tc_listener *listener;
    tc_ifunc *fn;
    tc_error error = {0};
    char address[32];
    assert_ok(tc_listener_open(second, "127.0.0.1:0", &listener, NULL));
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", tc_listener_port(listener));
    const tc_group_member members[] = {member_of("127.0.0.1:1"), member_of(address)};
    const tc_group_params params = {.id = 5, .rank = 0, .size = 2, .members = members};
    assert_ok(tc_group_create(first, &params, &group, &error));
    assert_ok(tc_ifunc_open(first, "travel", &fn, &error));
    assert_ok(tc_group_send(group, 1, fn, "x", 1));
    while (tc_group_failures(group, &error) == 0) {
        (void)tc_progress(first);
        assert_int_equal(tc_progress(second), 0);
    }
    assert_non_null(strstr(error.text, "in place of rank 1"));
    tc_context_destroy(first);
    tc_context_destroy(second);
}
