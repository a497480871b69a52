/* Calls that run too long are named: once each, and no others. The functions are the test's, in
 * its own thread, and so are the looks and the clock; the watch's own thread sleeps all the
 * time. */
#include "../../support/fake_node.h"
#include "base/clock.h"
#include "dispatch/dispatch.h"
#include "modules/limits/limits_module.h"

#include <pthread.h>
#include <tc/log.h>

#define TIME_MAX_NS (24 * 3600 * TCI_NS_PER_S)
#define LONG_ENOUGH_NS (TIME_MAX_NS + TCI_NS_PER_MS)

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until);

/* The watch's own thread sleeps until it is ended: its looks would be by another clock. */
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    (void)until;
    return pthread_cond_wait(cond, mutex);
}

static fake_pair pair;
static tci_call_watch *watch;
static uint64_t now_ns;
static unsigned named, runs, busy_calls;
static tci_busy_call last_busy;
static tc_long_call last;
static char last_function[128], last_id[64], last_peer[128], last_line[512];

static void on_long_call(void *user, const tc_long_call *call)
{
    assert_ptr_equal(user, &pair);
    named++;
    last = *call;
    (void)snprintf(last_function, sizeof last_function, "%s", call->function);
    (void)snprintf(last_id, sizeof last_id, "%s", call->id);
    (void)snprintf(last_peer, sizeof last_peer, "%s", call->peer);
}

static void on_line(void *user, tc_log_level level, const char *line)
{
    (void)user, (void)level;
    (void)snprintf(last_line, sizeof last_line, "%s", line);
}

static void pass(uint64_t ns)
{
    now_ns += ns;
    (void)tci_call_watch_look(watch, now_ns);
}

static void take_long(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
    pass(1);
    pass(LONG_ENOUGH_NS);
    pass(LONG_ENOUGH_NS);
}

/* Seen by two looks, but for no more than half of the time. */
static void take_half(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
    pass(1);
    pass(TIME_MAX_NS / 2);
}

static void take_half_and_work(void *payload, size_t size, void *target_args)
{
    const clock_t end = clock() + CLOCKS_PER_SEC / 10000;
    while (clock() < end)
        continue;
    take_half(payload, size, target_args);
}

static void open_pair(void)
{
    fake_pair_open(&pair, FAKE_MAPPED);
    pair.far->core.options.call_time_max = TIME_MAX_NS;
    fake_node_attach(pair.far, &tci_limits_module);
    watch = tci_limits_state_of(&pair.far->core)->watch;
    pair.far->core.limits->set_callback(&pair.far->core, on_long_call, &pair);
    now_ns = tci_clock_ns();
    named = runs = 0;
}

static void send_times(void (*main)(void *, size_t, void *), const char *name, unsigned count)
{
    tc_ifunc *fn = fake_node_function(pair.near, name, main);
    for (unsigned i = 0; i < count; i++)
        assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
}

TEST(a_long_call_is_named_once_with_its_sender)
{
    open_pair();
    tc_log_set_sink(on_line, NULL);
    pair.peer->peer.pid = 4711;
    send_times(take_long, "dawdle", 1);
    tc_log_set_sink(NULL, NULL);
    assert_int_equal(runs, 1);
    assert_int_equal(named, 1);
    assert_string_equal(last_function, "dawdle");
    assert_int_equal(strlen(last_id), 32);
    assert_string_equal(last_peer, "connection 0");
    assert_int_equal(last.peer_pid, 4711);
    assert_int_equal(last.running_ns, LONG_ENOUGH_NS);
    assert_int_equal(last.time_max_ns, TIME_MAX_NS);
    assert_non_null(strstr(last_line, "function 'dawdle' "));
    assert_non_null(strstr(last_line, "process 4711"));
    assert_non_null(strstr(last_line, "call_time_max is 86400000 ms"));
    assert_int_equal(pair.far->core.counters[TCI_CALLS_LONG], 1);
    fake_pair_close(&pair);
}

/* The first call of each batch goes another way than those behind it. */
TEST(each_long_call_is_named)
{
    open_pair();
    send_times(take_long, "dawdle", 5);
    assert_int_equal(runs, 5);
    assert_int_equal(named, 5);
    assert_int_equal(pair.far->core.counters[TCI_CALLS_LONG], 5);
    fake_pair_close(&pair);
}

static bool on_busy(void *user, const tci_busy_call *call)
{
    assert_ptr_equal(user, &pair);
    busy_calls += call != NULL;
    if (call != NULL)
        last_busy = *call;
    return call != NULL;
}

static void take_a_while(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    pass(1);
    assert_int_equal(busy_calls, 0);
    pass(TCI_CALL_WATCH_BUSY_NS);
    pass(TCI_CALL_WATCH_BUSY_NS);
    assert_int_equal(busy_calls, 2);
}

/* For as long as the call runs, and though it is far from being a long one. */
TEST(a_call_that_keeps_others_waiting_is_reported)
{
    open_pair();
    busy_calls = 0;
    tci_call_watch_set_busy_callback(watch, on_busy, &pair);
    (void)snprintf(pair.peer->peer.identity, sizeof pair.peer->peer.identity, "uid:1000");
    send_times(take_a_while, "dawdle", 1);
    assert_int_equal(busy_calls, 2);
    assert_int_equal(last_busy.running_ns, 2 * TCI_CALL_WATCH_BUSY_NS);
    assert_string_equal(last_busy.function, "dawdle");
    assert_string_equal(last_busy.sender, "uid:1000");
    pass(TCI_CALL_WATCH_BUSY_NS);
    assert_int_equal(busy_calls, 2);
    assert_int_equal(named, 0);
    fake_pair_close(&pair);
}

TEST(short_calls_in_a_row_are_not_one_long_call)
{
    open_pair();
    send_times(take_half, "short", 50);
    send_times(take_half, "other", 50);
    assert_int_equal(runs, 100);
    assert_int_equal(named, 0);
    fake_pair_close(&pair);
}

TEST(calls_that_are_to_be_answered_are_told_apart_too)
{
    const tci_route route = {.call = 0, .origin = TC_RANK_NONE, .hop_limit = 9};
    uint8_t payload[TCI_ROUTE_BYTES];
    open_pair();
    tci_route_encode(&route, payload);
    send_times(take_half, "asked", 1);
    tc_ifunc *fn = fake_node_function(pair.near, "asked", take_half);
    for (int i = 0; i < 10; i++)
        fake_frame(pair.ep, TCI_FRAME_CALL, TCI_ROUTED, fn->index, payload, sizeof payload);
    (void)tci_dispatch_run_lap(pair.peer);
    assert_int_equal(runs, 11);
    assert_int_equal(named, 0);
    fake_pair_close(&pair);
}

/* While they take long, the count for better code begins again with each of its calls. */
TEST(calls_that_are_timed_are_told_apart_too)
{
    open_pair();
    fake_code_of("timed")->may_improve = true;
    send_times(take_half_and_work, "timed", 50);
    assert_int_equal(runs, 50);
    assert_true(pair.peer->rx.slots[0].fn->count.timed >= 49);
    assert_int_equal(named, 0);
    fake_pair_close(&pair);
}

TEST(nothing_is_named_while_nothing_runs)
{
    open_pair();
    send_times(take_half, "short", 1);
    for (int i = 0; i < 3; i++)
        pass(LONG_ENOUGH_NS);
    assert_int_equal(named, 0);
    fake_pair_close(&pair);
}
