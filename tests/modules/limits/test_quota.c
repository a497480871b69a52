/* Quotas of peers of one identity. near sends; far has the quotas. */
#include "base/clock.h"
#include "core/ep_state.h"
#include "dispatch/dispatch.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"
#include "modules/limits/limits_module.h"
#include "modules/limits/quota.h"
#include "transfer/frame_out.h"
#include "../../support/counted_pair.h" /* last: it defines */

static void make_pair(void)
{
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.far->core.options.ring_bytes = 1u << 16;
    pair.peer->life.owner = TCI_OWNER_CONTEXT;
    runs = 0;
}

static void connect_as(fake_pair *p, const char *identity)
{
    tc_error error;
    if (p->far->core.limits == NULL)
        fake_node_attach(p->far, &tci_limits_module);
    (void)snprintf(p->peer->peer.identity, sizeof p->peer->peer.identity, "%s", identity);
    assert_ok(tci_handshake_send_hello(p->ep, &error));
    fake_pair_carry(p);
}

static void open_as(const char *identity)
{
    connect_as(&pair, identity);
    assert_true(tci_ep_is_open(pair.peer));
    fn = fake_node_function(pair.near, "run", run);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    runs = 0;
}

/* --- connections ------------------------------------------------------------------------- */

static void make_another(fake_pair *second)
{
    *second = (fake_pair){.near = fake_node_create(), .far = pair.far};
    second->near->core.options.delivery = FAKE_MAPPED;
    second->ep = fake_node_ep(second->near);
    second->peer = fake_node_ep(second->far);
    second->peer->life.owner = TCI_OWNER_CONTEXT;
}

TEST(connections_are_counted_by_identity)
{
    fake_pair second, third;
    make_pair();
    pair.far->core.options.quota_connections = 1;
    connect_as(&pair, "key:a");
    assert_true(tci_ep_is_open(pair.peer));
    make_another(&second);
    connect_as(&second, "key:a");
    fake_expect_failed(second.ep, TC_E_REFUSED,
                       "peers of identity 'key:a' have 1 connections, option "
                       "quota_connections is 1");
    make_another(&third);
    connect_as(&third, "key:b");
    assert_true(tci_ep_is_open(third.peer));
    fake_pair_remove(&second);
    /* A leaving peer frees its share. */
    tci_ep_free(pair.peer);
    make_another(&second);
    connect_as(&second, "key:a");
    assert_true(tci_ep_is_open(second.peer));
    fake_pair_remove(&second);
    fake_pair_remove(&third);
    fake_pair_close(&pair);
}

TEST(what_this_side_connects_to_does_not_count)
{
    make_pair();
    pair.peer->life.owner = TCI_OWNER_PROGRAM;
    pair.far->core.options.quota_connections = 1;
    connect_as(&pair, "");
    assert_int_equal(pair.peer->account->connections, 0);
    assert_int_equal(pair.peer->account->endpoints, 1);
    fake_pair_close(&pair);
}

TEST(without_quotas_nothing_is_counted)
{
    make_pair();
    open_as("key:a");
    assert_null(pair.peer->account);
    assert_false(pair.peer->rx.metered);
    assert_int_equal(pair.far->core.batch_watchers, 0);
    fake_pair_close(&pair);
}

/* As to a member of a group: memory freed later is subtracted from the account. */
TEST(what_waited_before_it_opened_is_counted)
{
    uint8_t bytes[100] = {0};
    make_pair();
    pair.far->core.options.quota_queue_bytes = 5000;
    pair.peer->tx.queues_unopened = true;
    fn = fake_node_function(pair.far, "run", run);
    assert_ok(tc_send(pair.peer, fn, bytes, sizeof bytes));
    assert_true(pair.peer->tx.queue_bytes > sizeof bytes);
    connect_as(&pair, "key:a");
    assert_int_equal(pair.peer->account->queue_bytes, pair.peer->tx.queue_bytes);
    fake_pair_settle(&pair);
    assert_int_equal(pair.peer->account->queue_bytes, pair.peer->tx.queue_bytes);
    fake_pair_close(&pair);
}

/* --- messages ---------------------------------------------------------------------------- */

static void pass(tci_account *account, uint64_t ns)
{
    account->filled_ns -= ns;
}

static void send_many(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_ok(tc_send(pair.ep, fn, NULL, 0));
    tci_frame_out_end_turns(&pair.near->core);
}

static void turn_many(fake_node *node)
{
    for (int i = 0; i < 20; i++)
        (void)fake_node_turn(node);
}

/* The rate is so low that no time that a test takes adds to it. */
static void open_metered(void)
{
    make_pair();
    pair.far->core.options.quota_message_rate = 10;
    open_as("key:a"); /* with one message */
    assert_true(pair.peer->rx.metered);
    assert_int_equal(pair.peer->account->messages, 9);
}

TEST(a_ring_stands_until_its_peer_may_send_on)
{
    open_metered();
    send_many(100);
    turn_many(pair.far);
    assert_in_range(runs, 9, 30);
    assert_true(pair.peer->rx.paused);
    assert_int_equal(pair.far->core.watched_count, 0);
    assert_true(tci_pending_has(&pair.far->core.pending, TCI_WORK_RATE));
    const unsigned before = runs;
    pass(pair.peer->account, 2 * TCI_NS_PER_S); /* it holds a second's worth */
    turn_many(pair.far);
    assert_in_range(runs, before + 10, before + 30);
    for (int i = 0; i < 20; i++) {
        pass(pair.peer->account, TCI_NS_PER_S);
        turn_many(pair.far);
    }
    assert_int_equal(runs, 100);
    fake_pair_close(&pair);
}

TEST(nobody_else_waits)
{
    fake_pair second;
    open_metered();
    make_another(&second);
    connect_as(&second, "key:b");
    send_many(100);
    turn_many(pair.far);
    assert_true(pair.peer->rx.paused);
    runs = 0;
    tc_ifunc *other = fake_node_function(second.near, "run", run);
    for (int i = 0; i < 5; i++)
        assert_ok(tc_send(second.ep, other, NULL, 0));
    fake_pair_settle(&second);
    assert_in_range(runs, 5, 15);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

/* A bucket of one identity is for all its connections. */
TEST(connections_share_what_is_allowed)
{
    fake_pair second;
    open_metered();
    make_another(&second);
    connect_as(&second, "key:a");
    assert_ptr_equal(second.peer->account, pair.peer->account);
    send_many(100);
    turn_many(pair.far);
    tc_ifunc *other = fake_node_function(second.near, "run", run);
    runs = 0;
    assert_ok(tc_send(second.ep, other, NULL, 0));
    pair.peer->account->messages = -1000;
    turn_many(pair.far);
    assert_int_equal(runs, 0);
    assert_true(second.peer->rx.paused);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

/* Its earlier messages are run, and only then it closes. */
TEST(a_goodbye_waits_for_what_came_before_it)
{
    open_metered();
    send_many(30);
    pair.peer->peer.said_bye = true;
    turn_many(pair.far);
    assert_false(tci_dispatch_drain(pair.peer));
    assert_true(runs < 30);
    for (int i = 0; i < 5 && !tci_dispatch_drain(pair.peer); i++) {
        pass(pair.peer->account, TCI_NS_PER_S);
        turn_many(pair.far);
    }
    assert_int_equal(runs, 30);
    fake_pair_close(&pair);
}

TEST(debts_outlive_a_connection)
{
    fake_pair second;
    open_metered();
    pair.peer->account->messages = -50;
    tci_ep_free(pair.peer);
    make_another(&second);
    connect_as(&second, "key:a");
    assert_in_range(second.peer->account->messages + 50, 0, 20);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

/* Functions that are refused are messages, too. */
TEST(what_is_dropped_counts)
{
    tc_log_set_level(TC_LOG_OFF);
    open_metered();
    for (int i = 0; i < 20; i++)
        fake_frame(pair.ep, TCI_FRAME_FRAGMENT, 0, 15, "none", 4);
    const int64_t before = pair.peer->account->messages;
    turn_many(pair.far);
    assert_true(!tci_ep_is_open(pair.peer) || pair.peer->account->messages < before);
    fake_pair_close(&pair);
    tc_log_set_level(TC_LOG_WARN);
}

/* --- queues ------------------------------------------------------------------------------ */

TEST(bytes_that_wait_are_counted_together)
{
    static uint8_t payload[2000];
    fake_pair second;
    make_pair();
    pair.far->core.options.quota_queue_bytes = 5000;
    connect_as(&pair, "key:a");
    make_another(&second);
    connect_as(&second, "key:a");
    tc_ifunc *back = fake_node_function(pair.far, "back", run);
    (void)fake_fill_ring(pair.peer, back);
    (void)fake_fill_ring(second.peer, back);
    const tci_outgoing out = {.fn = back,
                              .args = payload,
                              .args_size = sizeof payload,
                              .payload_size = sizeof payload,
                              .built = true};
    assert_ok(tci_send_queue_message(pair.peer, &out));
    assert_ok(tci_send_queue_message(second.peer, &out));
    assert_true(pair.peer->account->queue_bytes > 4000);
    assert_status(tci_send_queue_message(second.peer, &out), TC_E_AGAIN);
    assert_status(tci_send_queue_message(pair.peer, &out), TC_E_AGAIN);
    const size_t both = pair.peer->account->queue_bytes;
    tci_send_queue_clear(second.peer);
    assert_true(pair.peer->account->queue_bytes < both);
    assert_ok(tci_send_queue_message(pair.peer, &out));
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

/* Answers to a peer cannot be refused, so its ring is not read, and at last it is ended. */
TEST(who_does_not_read_is_ended_by_the_quota)
{
    static const tci_frame owed = {.payload_size = 1000, .kind = TCI_FRAME_REPLY};
    tc_log_set_level(TC_LOG_OFF);
    make_pair();
    pair.far->core.options.quota_queue_bytes = 5000;
    connect_as(&pair, "key:a");
    for (int i = 0; i < 6; i++)
        tci_send_queue_append(pair.peer, tci_send_queue_make(&owed));
    assert_true(pair.peer->rx.paused);
    assert_false(tci_send_queue_has_shrunk(pair.peer));
    assert_true(tci_ep_is_open(pair.peer));
    for (int i = 0; i < 40 && tci_ep_is_open(pair.peer); i++)
        tci_send_queue_append(pair.peer, tci_send_queue_make(&owed));
    fake_expect_failed(pair.peer, TC_E_TOO_LARGE,
                       "wait for peers of identity 'key:a' that do not read, 8 times the "
                       "option quota_queue_bytes");
    tc_log_set_level(TC_LOG_WARN);
    fake_pair_close(&pair);
}

/* --- functions --------------------------------------------------------------------------- */

static void expect_refusal(tc_ifunc *refused, tc_status status, const char *text)
{
    tc_error error = {0};
    assert_ok(tc_send(pair.ep, refused, NULL, 0));
    fake_pair_settle(&pair);
    assert_true(tc_ep_refusal(pair.ep, &error) > 0);
    assert_int_equal(error.status, status);
    if (strstr(error.text, text) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    assert_true(tci_ep_is_open(pair.peer));
}

TEST(functions_that_are_held_are_counted)
{
    make_pair();
    pair.far->core.options.quota_functions = 2;
    open_as("key:a");
    tc_ifunc *second = fake_node_function(pair.near, "second", run);
    tc_ifunc *third = fake_node_function(pair.near, "third", run);
    assert_ok(tc_send(pair.ep, second, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    expect_refusal(third, TC_E_TOO_LARGE,
                   "peers of identity 'key:a' hold 2 functions, option quota_functions is 2");
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 2);
    fake_pair_close(&pair);
}

TEST(bytes_of_code_are_counted)
{
    make_pair();
    pair.far->core.options.quota_code_bytes = 6000;
    fake_code_of("run")->memory = 5500;
    open_as("");
    expect_refusal(fake_function(&pair.near->core.registry, "large", TCI_ENTRY_MAIN, 2000),
                   TC_E_TOO_LARGE, "peers without an identity hold 5");
    fake_pair_close(&pair);
}

TEST(time_of_compiling_is_counted_by_the_minute)
{
    make_pair();
    pair.far->core.options.quota_compile_time = TCI_NS_PER_S;
    open_as("key:a");
    tci_account *account = pair.peer->account;
    account->compile_ns = TCI_NS_PER_S + 5 * TCI_NS_PER_MS;
    tc_ifunc *second = fake_node_function(pair.near, "second", run);
    expect_refusal(
        second, TC_E_NO_MEMORY,
        "compiling for peers of identity 'key:a' took 1005 ms in this minute, option "
        "quota_compile_time is 1000 ms");
    account->compile_since_ns -= 61 * TCI_NS_PER_S;
    tc_ifunc *third = fake_node_function(pair.near, "third", run);
    assert_ok(tc_send(pair.ep, third, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
    /* Code that is given up while it is compiled counts as compiled, too. */
    fake_code_of("fourth")->is_slow = true;
    tc_ifunc *fourth = fake_node_function(pair.near, "fourth", run);
    assert_ok(tc_send(pair.ep, fourth, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(account->compile_ns, 0);
    account->endpoints++; /* it is looked at below */
    tci_ep_free(pair.peer);
    assert_true(account->compile_ns > 0);
    account->endpoints--;
    fake_engine_end_loads();
    fake_pair_close(&pair);
}

/* --- the number of accounts --------------------------------------------------------------- */

TEST(identities_are_counted_up_to_a_number)
{
    tci_account *others = calloc(TCI_ACCOUNTS_MAX, sizeof *others), *accounts = others;
    tc_error error = {0};
    assert_non_null(others);
    for (unsigned i = 0; i < TCI_ACCOUNTS_MAX; i++) {
        (void)snprintf(others[i].identity, sizeof others[i].identity, "key:%u", i);
        others[i].endpoints = 1;
        others[i].next = i + 1 < TCI_ACCOUNTS_MAX ? &others[i + 1] : NULL;
    }
    make_pair();
    pair.far->core.options.quota_connections = 9;
    (void)snprintf(pair.peer->peer.identity, sizeof pair.peer->peer.identity, "key:new");
    assert_status(tci_quota_admit(&accounts, pair.peer, &error), TC_E_REFUSED);
    assert_string_equal(error.text,
                        "peers of 130001 identities had connections within a minute, "
                        "expected 130000 at most");
    assert_null(pair.peer->account);
    accounts = others[0].next;
    assert_ok(tci_quota_admit(&accounts, pair.peer, &error));
    assert_string_equal(accounts->identity, "key:new");
    tci_quota_leave(pair.peer);
    free(accounts);
    free(others);
    fake_pair_close(&pair);
}
