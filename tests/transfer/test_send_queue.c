/* The queue of an endpoint, and how it is sent. */
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"
#include "transfer/started.h"

static unsigned sum, runs, newest;

static void add(void *payload, size_t size, void *target_args)
{
    unsigned value = 0;
    (void)target_args;
    memcpy(&value, payload, size < sizeof value ? size : sizeof value);
    sum = 10 * sum + value;
    newest = value;
    runs++;
}

static fake_pair make_pair(uint64_t delivery, tc_ifunc **fn_out)
{
    fake_pair pair;
    fake_pair_open(&pair, delivery);
    *fn_out = fake_node_function(pair.near, "add", add);
    sum = runs = 0;
    return pair;
}

static tc_status queue(tc_ep *ep, tc_ifunc *fn, const void *args, size_t size)
{
    const tci_outgoing out = {
        .fn = fn, .args = args, .args_size = size, .payload_size = size, .built = true};
    return tci_send_queue_message(ep, &out);
}

static void on_mapped_pair(void (*test)(fake_pair *pair, tc_ifunc *fn))
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_MAPPED, &fn);
    test(&pair, fn);
    fake_pair_close(&pair);
}

#define MAPPED_TEST(name) TEST_BY(on_mapped_pair, name, fake_pair *pair, tc_ifunc *fn)

MAPPED_TEST(what_was_queued_leaves_in_its_order)
{
    for (unsigned i = 1; i <= 4; i++)
        assert_ok(queue(pair->ep, fn, &i, sizeof i));
    assert_true(tci_queue_waits(pair->ep));
    assert_true(tci_pending_has(&pair->near->core.pending, TCI_WORK_QUEUE));
    tci_queue_drain(pair->ep);
    assert_false(tci_queue_waits(pair->ep));
    fake_pair_settle(pair);
    assert_int_equal(sum, 1234);
    assert_int_equal(pair->near->core.counters[TCI_SENDS_QUEUED], 4);
    assert_int_equal(pair->ep->tx.queue_bytes, 0);
}

/* The payload is copied, so the caller's memory is free at once. */
MAPPED_TEST(a_queued_payload_is_a_copy)
{
    unsigned value = 7;
    assert_ok(queue(pair->ep, fn, &value, sizeof value));
    value = 9;
    fake_pair_settle(pair);
    assert_int_equal(sum, 7);
}

MAPPED_TEST(a_send_goes_behind_what_waits)
{
    const unsigned first = 1, second = 2;
    assert_ok(queue(pair->ep, fn, &first, sizeof first));
    assert_ok(tc_send(pair->ep, fn, &second, sizeof second));
    fake_pair_settle(pair);
    assert_int_equal(sum, 12);
}

MAPPED_TEST(control_frames_leave_before_all_that_waits)
{
    tci_frame frame;
    const uint8_t *payload;
    const uint64_t count = 1;
    assert_ok(queue(pair->ep, fn, NULL, 0));
    for (uint16_t slot = 1; slot <= 3; slot++) {
        const tci_frame header = {.payload_size = sizeof count,
                                  .slot = slot,
                                  .kind = TCI_FRAME_CONTROL,
                                  .flags = TCI_CONTROL_PREPARED};
        tci_queued *item = tci_send_queue_make(&header);
        memcpy(item->payload, &count, sizeof count);
        tci_send_queue_prepend(pair->ep, item);
    }
    tci_queue_drain(pair->ep);
    for (uint16_t slot = 1; slot <= 3; slot++) { /* in their own order */
        assert_true(fake_read(pair->peer, &frame, &payload));
        assert_int_equal(frame.kind, TCI_FRAME_CONTROL);
        assert_int_equal(frame.slot, slot);
    }
    assert_true(fake_read(pair->peer, &frame, &payload));
    assert_int_equal(frame.kind, TCI_FRAME_CODE);
}

MAPPED_TEST(the_queue_is_bounded_and_all_in_it_counts)
{
    uint8_t payload[100] = {0};
    pair->near->core.options.send_queue_bytes = 1000;
    unsigned n = 0;
    while (queue(pair->ep, fn, payload, sizeof payload) == TC_OK)
        n++;
    assert_in_range(n, 1, 9);
    const tci_frame header = {.payload_size = 100, .kind = TCI_FRAME_CONTROL};
    for (int i = 0; i < 20; i++)
        tci_send_queue_prepend(pair->ep, tci_send_queue_make(&header));
    assert_status(queue(pair->ep, fn, payload, sizeof payload), TC_E_AGAIN);
    assert_true(pair->ep->tx.queue_bytes > 20 * 100 + n * 100);
    for (int i = 0; i < 20; i++)
        tci_send_queue_free(pair->ep, tci_send_queue_pop(pair->ep));
    tci_send_queue_free(pair->ep, tci_send_queue_pop(pair->ep));
    assert_ok(queue(pair->ep, fn, payload, sizeof payload));
    tci_send_queue_clear(pair->ep);
    assert_int_equal(pair->ep->tx.queue_bytes, 0);
}

/* A large payload offers a segment while it is at the front itself. */
MAPPED_TEST(a_control_frame_put_before_what_is_being_sent_stays)
{
    static const uint8_t payload[8192];
    const tci_frame filler = {.kind = TCI_FRAME_CONTROL, .flags = TCI_CONTROL_PREPARED};
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    fake_pair_settle(pair);
    (void)fake_fill_ring(pair->ep, fn);
    while (tci_frame_out_whole(pair->ep, &filler, NULL))
        ;
    assert_ok(queue(pair->ep, fn, payload, sizeof payload));
    tci_queue_drain(pair->ep);
    assert_non_null(pair->ep->tx.large);
    assert_non_null(pair->ep->tx.queue);
    assert_int_equal(pair->ep->tx.queue->frame.kind, TCI_FRAME_CONTROL);
    assert_int_equal(pair->ep->tx.queue->frame.flags, TCI_CONTROL_SEGMENT);
    assert_null(pair->ep->tx.queue->next);
    fake_pair_settle(pair);
    assert_null(pair->ep->tx.queue);
    assert_int_equal(pair->ep->tx.queue_bytes, 0);
}

MAPPED_TEST(a_queue_that_was_emptied_takes_more)
{
    for (unsigned i = 1; i <= 3; i++) {
        assert_ok(queue(pair->ep, fn, &i, sizeof i));
        tci_queue_drain(pair->ep);
        assert_ok(queue(pair->ep, fn, &i, sizeof i));
        tci_send_queue_clear(pair->ep);
    }
    const tci_frame header = {
        .slot = 5, .kind = TCI_FRAME_CONTROL, .flags = TCI_CONTROL_PREPARED};
    pair->peer->tx.preparing = header.slot;
    tci_send_queue_prepend(pair->ep, tci_send_queue_make(&header));
    const unsigned last = 4;
    assert_ok(queue(pair->ep, fn, &last, sizeof last));
    fake_pair_settle(pair);
    assert_int_equal(sum, 1234);
    assert_int_equal(pair->peer->tx.preparing, TCI_PREPARING_NONE);
}

MAPPED_TEST(what_finds_no_room_stays_in_its_place)
{
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    fake_pair_settle(pair);
    const unsigned filled = fake_fill_ring(pair->ep, fn) + 1;
    for (unsigned i = 0; i < 2; i++)
        assert_ok(queue(pair->ep, fn, &i, sizeof i));
    tci_queue_drain(pair->ep);
    assert_true(tci_queue_waits(pair->ep));
    assert_int_equal(pair->ep->tx.fast_limit, 0); /* no message overtakes */
    fake_pair_settle(pair);
    assert_int_equal(runs, filled + 2);
    assert_int_equal(newest, 1);
    assert_true(pair->ep->tx.fast_limit > 0);
}

/* A function cannot wait for space, so its messages are queued. */
TEST(a_function_that_finds_no_room_has_its_message_queued)
{
    tc_ifunc *fn;
    fake_pair pair = make_pair(FAKE_CARRIED, &fn);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    (void)fake_fill_ring(pair.ep, fn);
    tci_pending *pending = &pair.near->core.pending;
    assert_status(tc_send(pair.ep, fn, NULL, 0), TC_E_AGAIN);
    assert_true(pending->credit_blocked);
    const unsigned outer = tci_pending_enter(pending, TCI_RUNNING);
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    tci_pending_leave(pending, TCI_RUNNING, outer);
    assert_true(tci_queue_waits(pair.ep));
    fake_pair_settle(&pair);
    assert_false(tci_queue_waits(pair.ep));
    fake_pair_close(&pair);
}

MAPPED_TEST(messages_wait_for_the_peer_to_say_who_it_is)
{
    pair->ep->unconfirmed = true;
    tci_ep_set_fast(pair->ep);
    pair->ep->tx.queues_unopened = true;
    assert_ok(tc_send(pair->ep, fn, NULL, 0));
    tci_queue_drain(pair->ep);
    fake_pair_settle(pair);
    assert_int_equal(runs, 0);
    pair->ep->unconfirmed = false;
    fake_pair_settle(pair);
    assert_int_equal(runs, 1);
}

MAPPED_TEST(a_message_whose_function_was_refused_meanwhile_is_told_of)
{
    tc_ifunc *other = fake_node_function(pair->near, "other", add);
    const unsigned value = 5;
    assert_ok(queue(pair->ep, fn, NULL, 0));
    assert_ok(queue(pair->ep, other, &value, sizeof value));
    pair->ep->tx.bindings[fn->index] = TCI_TX_REFUSED;
    tci_queue_drain(pair->ep);
    assert_int_equal(pair->near->seen.unsent, 1);
    assert_status(pair->near->seen.unsent_status, TC_E_REFUSED);
    fake_pair_settle(pair);
    assert_int_equal(sum, 5);
}

/* One that was queued before the peer's ring was known. */
TEST(a_message_larger_than_a_frame_leaves_in_pieces)
{
    tc_ifunc *fn;
    fake_pair pair;
    fake_pair_make(&pair, FAKE_MAPPED);
    fn = fake_node_function(pair.near, "add", add);
    sum = runs = 0;
    uint8_t large[10000] = {3};
    unsigned last = 4;
    pair.ep->tx.queues_unopened = true;
    assert_ok(tc_send(pair.ep, fn, large, sizeof large));
    assert_ok(tc_send(pair.ep, fn, &last, sizeof last));
    fake_pair_connect(&pair);
    assert_true(tci_pending_has(&pair.near->core.pending, TCI_WORK_QUEUE));
    assert_true(sizeof large > pair.ep->tx.payload_max);
    fake_pair_settle(&pair);
    assert_int_equal(runs, 2);
    assert_int_equal(sum, 34);
    fake_pair_close(&pair);
}

MAPPED_TEST(functions_are_held_as_long_as_their_messages_wait)
{
    const unsigned holders = fn->references;
    assert_ok(queue(pair->ep, fn, NULL, 0));
    assert_ok(queue(pair->ep, fn, NULL, 0));
    assert_int_equal(fn->references, holders + 2);
    tci_queue_drain(pair->ep);
    assert_int_equal(fn->references, holders);
    assert_ok(queue(pair->ep, fn, NULL, 0));
    tci_ep_free(pair->ep);
    assert_int_equal(fn->references, holders);
    pair->ep = fake_node_ep(pair->near);
}

static int refuse_to_make(void *payload, size_t size, void *args, size_t args_size)
{
    (void)payload, (void)size, (void)args, (void)args_size;
    return 1;
}

static size_t twice(void *args, size_t args_size)
{
    (void)args;
    return 2 * args_size;
}

MAPPED_TEST(a_payload_that_cannot_be_made_is_not_queued)
{
    fake_code_of("made")->entries =
        (tci_entries){.main = add, .max_size = twice, .init = refuse_to_make};
    tc_ifunc *made = fake_function(&pair->near->core.registry, "made",
                                   TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
    assert_status(tc_send(pair->ep, made, NULL, 0), TC_E_PAYLOAD);
    tci_outgoing out = {.fn = made};
    assert_ok(tci_outgoing_measure(&out, NULL));
    assert_status(tci_send_queue_message(pair->ep, &out), TC_E_PAYLOAD);
    assert_false(tci_queue_waits(pair->ep));
    assert_int_equal(pair->ep->tx.queue_bytes, 0);
    assert_false(tci_core_is_busy(&pair->near->core));
}

/* Ends are reported by tc_progress alone, so a program that never calls it stops here. */
MAPPED_TEST(ended_sends_that_nobody_reports_are_bounded)
{
    tci_core *core = &pair->near->core;
    tc_error error = {0};
    unsigned started = 0;
    while (core->ended_count < TCI_ENDED_SENDS_MAX) {
        tc_status status = tc_send_start(pair->ep, fn, NULL, 0, NULL, &error);
        started += status == TC_OK;
        if (status == TC_E_AGAIN)
            fake_pair_settle(pair);
    }
    fake_pair_settle(pair);
    assert_status(tc_send_start(pair->ep, fn, NULL, 0, NULL, &error), TC_E_AGAIN);
    assert_non_null(strstr(error.text, "65536 have ended"));
    tci_started_report(core);
    assert_int_equal(core->ended_count, 0);
    assert_ok(tc_send_start(pair->ep, fn, NULL, 0, NULL, &error));
    fake_pair_settle(pair);
    assert_int_equal(runs, started + 1);
    tci_started_report(core);
}
