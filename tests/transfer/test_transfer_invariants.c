/* Broken state of queues, and of payloads and code on their way, ends the process. */
#include "../support/broken_invariant.h"
#include "../support/fake_node.h"
#include "core/ep_state.h"
#include "transfer/code_in.h"
#include "transfer/large_send.h"
#include "transfer/payload_in.h"
#include "transfer/queue_drain.h"
#include "transfer/send_window.h"
#include "transfer/started.h"

static fake_pair pair; /* of the child that breaks it */

static tc_ep *opened(uint64_t delivery)
{
    fake_pair_open(&pair, delivery);
    return pair.ep;
}

static tc_ifunc *function(void)
{
    return fake_node_function(pair.near, "nothing", fake_nothing);
}

static tci_queued *queued(tc_ep *ep)
{
    const tci_outgoing out = {.fn = function(), .built = true};
    assert_ok(tci_send_queue_message(ep, &out));
    return ep->tx.queue;
}

TEST_BROKEN(queue_bytes)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tci_queued *item = queued(ep);
    ep->tx.queue_bytes = item->cost - 1;
    tci_send_queue_free(ep, tci_send_queue_pop(ep));
}

TEST_BROKEN(queue_last)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    (void)queued(ep);
    ep->tx.queue_last = &ep->tx.queue;
    (void)queued(ep);
}

TEST_BROKEN(queue_control)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tci_queued *item = queued(ep);
    ep->tx.queue_control = &item->next;
    tci_queue_drain(ep);
}

TEST_BROKEN(queue_item)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tci_queued *item = queued(ep);
    tci_send_queue_take(ep, item);
    tci_send_queue_take(ep, item);
}

TEST_BROKEN(started_once)
{
    tci_started *started = calloc(1, sizeof *started);
    tci_core *core = opened(FAKE_MAPPED)->core;
    tci_started_end(core, started, TC_OK);
    tci_started_end(core, started, TC_OK);
}

TEST_BROKEN(started_parts)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tci_started *started = calloc(1, sizeof *started);
    queued(ep)->started = started;
    started->count = TC_SEND_PARTS_MAX + 1;
    tci_queue_drain(ep);
}

TEST_BROKEN(window_parts)
{
    tci_send_window w = {.count = TCI_SEND_WINDOW_PARTS};
    tci_send_window_add(&w, 64, 64);
}

TEST_BROKEN(window_order)
{
    tci_send_window w = {0};
    tci_send_window_add(&w, 64, 64);
    tci_send_window_add(&w, 64, 64);
}

TEST_BROKEN(window_bytes)
{
    tci_send_window w = {0};
    tci_send_window_add(&w, 64, 64);
    w.bytes++;
    tci_send_window_release(&w, 64);
}

/* --- large payloads ---------------------------------------------------------------------- */

static uint8_t payload[1u << 20];

static tci_large_request *large(tc_ep *ep)
{
    assert_status(tc_send(ep, function(), payload, sizeof payload), TC_E_AGAIN);
    assert_non_null(ep->tx.large);
    return ep->tx.large;
}

static size_t many(void *args, size_t args_size)
{
    (void)args, (void)args_size;
    return sizeof payload;
}

static int begin_another(void *made, size_t size, void *args, size_t args_size)
{
    static tci_large_request another;
    (void)made, (void)size, (void)args, (void)args_size;
    pair.ep->tx.large = &another;
    return 0;
}

TEST_BROKEN(large_single)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    fake_code_of("made")->entries =
        (tci_entries){.main = fake_nothing, .max_size = many, .init = begin_another};
    tc_ifunc *made = fake_function(&pair.near->core.registry, "made",
                                   TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT, 64);
    assert_ok(tc_send(ep, made, NULL, 0));
}

TEST_BROKEN(large_progress)
{
    tci_large_request *request = large(opened(FAKE_MAPPED));
    request->offset = request->size + 1;
    tci_large_abandon(pair.ep);
}

TEST_BROKEN(large_fragment)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->tx.payload_max = TCI_FRAGMENT_HEADER_BYTES;
    assert_ok(tc_send(ep, function(), payload, sizeof payload));
}

TEST_BROKEN(large_queued)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    (void)large(ep);
    assert_ok(tci_large_queue(ep));
    assert_ok(tci_large_queue(ep));
}

/* --- data that arrives beside the ring --------------------------------------------------- */

/* Half of a payload of 128 bytes arrives, and the sink is kept. */
static tc_ep *receiving(tci_sink *sink)
{
    tc_ep *ep = opened(FAKE_CARRIED);
    tci_payload_header header = {.to.position = 0};
    const tci_fragment fragment = {.total = 128, .offset = 0};
    tci_fragment_encode(&fragment, header.fragment);
    assert_true(tci_payload_in_take(ep, &header, 64, sink));
    return ep;
}

TEST_BROKEN(inbound_under_way)
{
    tci_sink sink;
    (void)receiving(&sink);
    sink.done(sink.user, 32, true);
    sink.done(sink.user, 32, true);
}

TEST_BROKEN(inbound_received)
{
    tci_sink sink;
    (void)receiving(&sink);
    sink.done(sink.user, 65, true);
}

static tc_ep *awaiting(void)
{
    static const tci_code_section section = {.archive_size = 100};
    const uint8_t *bytes;
    tc_error error;
    tc_ep *ep = opened(FAKE_CARRIED);
    assert_status(tci_code_in_await(ep, 0, &section, &bytes, &error), TC_E_AGAIN);
    return ep;
}

TEST_BROKEN(code_received)
{
    tc_ep *ep = awaiting();
    ep->rx.incoming.received = 101;
    (void)tci_code_in_complete(ep);
}

TEST_BROKEN(code_wanted)
{
    tc_ep *ep = awaiting();
    ep->rx.incoming.wanted = false;
    tci_code_in_forget(ep);
}

TEST_BROKEN(pending_busy)
{
    tci_pending pending = {.causes = TCI_RUNNING};
    const unsigned outer = tci_pending_enter(&pending, TCI_BUILDING);
    tci_pending_leave(&pending, TCI_BUILDING, outer);
    tci_pending_leave(&pending, TCI_BUILDING, outer);
}
