/* The handshake of an endpoint: HELLO both ways, READY both ways, then messages.
 *
 * The states of an endpoint in order:
 *   CONNECTING      The stream connects, and both sides prove their identity (connecting.c).
 *                   Accepted endpoints, and those made from an address, begin with the next.
 *   AWAITING_HELLO  The connecting side has sent its HELLO. The accepting side answers with its
 *                   own after it has accepted the peer's: quota, link and delivery.
 *   AWAITING_READY  Each side has the other's HELLO. Its READY names the delivery that it sends
 *                   by, and leaves once the link is ready.
 *   OPEN            READY was sent and received. Any state may end in CLOSED or FAILED.
 *
 * HELLO describes a ring, and the delivery follows from that description, so READY is a message
 * of its own. It waits for the link, so that a side with both READYs may close at any time.
 *
 * This file must never open an endpoint without both READYs, accept a second HELLO or a READY
 * out of order, or use the rkey of a process of this host that has ended. It must not take
 * more than ring_memory_max for rings that peers may write, nor for copies of peers' rings
 * (small ones aside). After OPEN it must not let REFUSE discard messages that have arrived. */
#include "endpoint/handshake.h"

#include "archive_dictionary.h"
#include "archive_layout.h"
#include "base/live_process.h"
#include "base/logger.h"
#include "core/ep_message.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "core/network.h"
#include "endpoint/record_in.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALL_RING_BYTES (16u << 10)

void tci_handshake_expect_rank(tc_ep *ep, uint32_t rank)
{
    ep->hs.expected_rank = rank;
    ep->tx.queues_unopened = true;
    ep->unconfirmed = true;
}

/* Chooses the ring's size and use. Beyond ring_memory_max the ring is small and cannot be
 * written from outside: a peer then sends active messages, which need no ring that is large or
 * shared. */
static tci_region_use choose_ring(tc_ep *ep, uint64_t *ring_bytes_out)
{
    tci_core *core = ep->core;
    uint64_t ring_bytes = core->options.ring_bytes;
    *ring_bytes_out = ring_bytes;
    if (core->ring_memory + ring_bytes > core->options.ring_memory_max) {
        *ring_bytes_out = ring_bytes < SMALL_RING_BYTES ? ring_bytes : SMALL_RING_BYTES;
        core->counters[TCI_RINGS_CLOSED]++;
        return TCI_REGION_CLOSED;
    }
    TCI_INVARIANT_IS(ep_ring_memory, ep->rx.ring_memory, ==, 0);
    core->ring_memory += ep->rx.ring_memory = ring_bytes;
    return tci_delivery_region_use(tci_network_deliveries(core), core->options.delivery);
}

static tc_status make_ring(tc_ep *ep, tc_error *err)
{
    uint64_t ring_bytes;
    if (ep->rx.region != NULL)
        return TC_OK;
    tci_region_use use = choose_ring(ep, &ring_bytes);
    const bool twice = ep->core->options.payload == TCI_PAYLOAD_READONLY;
    TC_TRY(tci_network_region(ep, tci_ring_region_bytes(ring_bytes), use, twice, &ep->rx.region,
                              err));
    randombytes_buf(&ep->hs.nonce, sizeof ep->hs.nonce);
    tci_consumer_init(&ep->rx.ring, tci_region_base(ep->rx.region), ring_bytes, ep->hs.nonce);
    tci_consumer_read_in(&ep->rx.ring, tci_region_view(ep->rx.region));
    return TC_OK;
}

tc_status tci_handshake_send_hello(tc_ep *ep, tc_error *err)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    if (ep->hs.hello_sent)
        return TC_OK;
    TC_TRY(make_ring(ep, err));
    tci_hello hello = ep->core->self;
    tci_network_describe(ep, &hello);
    hello.connection_id = ep->connection;
    hello.connection_token = ep->token;
    hello.ring_bytes = (uint32_t)(ep->rx.ring.mask + 1);
    hello.ring_nonce = ep->hs.nonce;
    hello.frame_bytes_max = (uint32_t)tci_ring_frame_max(hello.ring_bytes);
    hello.segment = tci_region_segment(ep->rx.region);
    if (!tci_hello_offers_stream(&hello))
        hello.rkey.data = tci_region_rkey(ep->rx.region, &hello.rkey.size);
    /* Sends the ring's address only with an rkey: without one the peer cannot put, and learns
     * no address of this side's memory. */
    if (hello.rkey.size > 0)
        hello.ring_address = (uintptr_t)tci_region_base(ep->rx.region);
    TC_TRY(tci_hello_encode(&hello, TCI_HELLO_HELLO, bytes, sizeof bytes, &size, err));
    TC_TRY(tci_ep_message_send(ep, bytes, size, err));
    ep->hs.hello_sent = true;
    return TC_OK;
}

/* Refuses with another text for the peer than for this side. */
static void refuse_as(tc_ep *ep, const tc_error *error, const char *text)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    TC_LOG_RATIONED(&ep->core->log, TC_LOG_WARN, "connection refused: %s", error->text);
    if (tci_hello_refuse_encode(error->status, text, bytes, sizeof bytes, &size) == TC_OK &&
        (ep->stream != NULL || ep->link != NULL))
        (void)tci_ep_message_send(ep, bytes, size, NULL);
    tci_ep_fail(ep, error);
}

void tci_handshake_refuse(tc_ep *ep, const tc_error *error)
{
    refuse_as(ep, error, error->text);
}

/* The text about two UCX names "the peer" and "this side", so the peer gets that of its own
 * side. */
static void refuse_hello(tc_ep *ep, const tci_hello *hello, const tc_error *error)
{
    tc_error theirs = *error;
    if (error->status == TC_E_VERSION)
        (void)(tci_hello_compatible(hello, &ep->core->self, &theirs) == TC_OK);
    refuse_as(ep, error, theirs.text);
}

static void keep_text(char *out, size_t size, tci_hello_view view)
{
    (void)snprintf(out, size, "%.*s", (int)view.size, (const char *)view.data);
}

static void keep_version(char out[16], tci_hello_version v, const char *none)
{
    if (v.major == 0 && v.minor == 0 && v.patch == 0)
        (void)snprintf(out, 16, "%s", none);
    else
        (void)snprintf(out, 16, "%u.%u.%u", v.major, v.minor, v.patch);
}

static uint32_t known_dictionaries(const tci_hello *hello)
{
    uint32_t known = 0;
    for (size_t i = 0; i < hello->dictionary_count; i++) {
        size_t index = tci_dictionary_find(hello->dictionaries[i]);
        if (index != TCI_DICTIONARY_NONE)
            known |= 1u << index;
    }
    return known;
}

static bool takes_brief(const tci_hello *hello)
{
    for (size_t i = 0; i < hello->dictionary_count; i++) {
        if (hello->dictionaries[i] == TCI_HELLO_BRIEF)
            return true;
    }
    return false;
}

static void keep_peer(tc_ep *ep, const tci_hello *hello)
{
    ep->peer.pid = tci_hello_same_host(&ep->core->self, hello) ? hello->pid : 0;
    keep_text(ep->peer.triple, sizeof ep->peer.triple, hello->triple);
    ep->peer.target = tci_target_number(ep->peer.triple);
    ep->peer.dictionaries = known_dictionaries(hello);
    ep->tx.takes_brief = takes_brief(hello);
    keep_text(ep->peer.cpu, sizeof ep->peer.cpu, hello->cpu);
    keep_version(ep->peer.library, hello->library, "0.0.0");
    keep_version(ep->peer.ucx, hello->ucx, "none");
    keep_version(ep->peer.llvm, hello->llvm, "none");
}

/* Returns whether the peer's process has ended. Called right before its rkey is used, as an
 * rkey of a dead process crashes UCX before 1.19. */
static bool peer_is_gone(const tc_ep *ep)
{
    const tci_live_process process = tci_live_process_find((pid_t)ep->peer.pid);
    return tci_live_process_has_ended(&process);
}

/* Counts the copy of the peer's ring that a delivery which carries frames fills; its size is
 * from the peer's HELLO. Copies have the same bound as own rings. A copy of a small ring is
 * always allowed, as a small ring is. */
static tc_status count_copy(tc_ep *ep, uint64_t bytes, tc_error *err)
{
    tci_core *core = ep->core;
    if (bytes <= SMALL_RING_BYTES)
        return TC_OK;
    if (core->copy_memory + bytes > core->options.ring_memory_max)
        return tci_error_set(
            err, TC_E_NO_MEMORY,
            "the peer's ring of %llu bytes cannot be copied: other peers' take "
            "%llu of the %llu bytes of option ring_memory_max",
            (unsigned long long)bytes, (unsigned long long)core->copy_memory,
            (unsigned long long)core->options.ring_memory_max);
    TCI_INVARIANT_IS(ep_copy_memory, ep->tx.copy_memory, ==, 0);
    core->copy_memory += ep->tx.copy_memory = bytes;
    return TC_OK;
}

static tc_status choose_delivery(tc_ep *ep, const tci_hello *hello, tc_error *err)
{
    uint64_t wanted = ep->core->options.delivery;
    /* An endpoint made from an address alone has no connection to send over. */
    if (wanted == TCI_DELIVERY_STREAM && ep->stream == NULL)
        wanted = TCI_DELIVERY_AUTO;
    const tci_delivery_peer peer = {
        .link = ep->link,
        .ring_bytes = hello->ring_bytes,
        .ring_nonce = hello->ring_nonce,
        .ring_address = hello->ring_address,
        .rkey = hello->rkey.size > 0 ? hello->rkey.data : NULL,
        .rkey_size = hello->rkey.size,
        .segment = hello->segment,
        .same_host = tci_hello_same_host(&ep->core->self, hello),
    };
    tc_status status = tci_delivery_open(tci_network_deliveries(ep->core), wanted, &peer,
                                         &ep->tx.delivery, err);
    if (status == TC_E_UNSUPPORTED) /* UCX may be the reason, where a stream is the link */
        TC_TRY(tci_hello_compatible(&ep->core->self, hello, err));
    return status;
}

static void set_up_sending(tc_ep *ep, const tci_hello *hello)
{
    const tci_delivery_ops *ops = ep->tx.delivery->ops;
    uint64_t frame_max = tci_ring_frame_max(hello->ring_bytes);
    if (hello->frame_bytes_max < frame_max)
        frame_max = hello->frame_bytes_max;
    tci_producer_init(&ep->tx.ring, ep->tx.delivery->ring, hello->ring_bytes, hello->ring_nonce,
                      ep->tx.delivery->consumed);
    ep->tx.push = ops->push;
    if (ep->tx.delivery->doorbell != NULL)
        ep->tx.doorbell = ep->tx.delivery->doorbell;
    /* A first message carries its code's id behind the payload even when the code itself goes
     * outside the ring. */
    ep->tx.payload_max = (size_t)(frame_max - tci_frame_code_bytes(0, 0)) & ~(size_t)7;
}

static tc_status open_link(tc_ep *ep, const tci_hello *hello, tc_error *err)
{
    if (ep->link != NULL) /* made from an address: UCX is the only way */
        return tci_hello_compatible(&ep->core->self, hello, err);
    TC_TRY(tci_network_link(ep, hello, err));
    return tci_link_carries(ep->link, TCI_LINK_RECORDS) ? tci_record_in_begin(ep, err) : TC_OK;
}

static tc_status accept_hello(tc_ep *ep, const tci_hello *hello, tc_error *err)
{
    keep_peer(ep, hello);
    TC_TRY(tci_limits_admit(ep, err));
    TC_TRY(tci_network_agree(ep, hello, err));
    /* Opens the link even to a peer that has ended: UCX already has its side of that peer's
     * endpoint and maps the peer's memory. It keeps both until an endpoint of this side has
     * taken them over. */
    tc_status status = open_link(ep, hello, err);
    if (peer_is_gone(ep))
        return tci_error_set(err, TC_E_PEER_LOST,
                             "peer lost: process %llu ended while connecting",
                             (unsigned long long)ep->peer.pid);
    TC_TRY(status);
    tci_link_set_peer(ep->link, hello->connection_id, hello->connection_token);
    TC_TRY(choose_delivery(ep, hello, err));
    set_up_sending(ep, hello);
    if (ep->tx.push != NULL)
        TC_TRY(count_copy(ep, hello->ring_bytes, err));
    return tci_handshake_send_hello(ep, err);
}

/* Sends READY once the link is ready, so that a side that has both READYs may close at any
 * time. TC_E_AGAIN: the link is not ready yet. */
static tc_status say_ready(tc_ep *ep, tc_error *err)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES + 1];
    size_t size;
    TC_TRY(tci_link_ready(ep->link, err));
    TC_TRY(tci_hello_ready_encode((uint8_t)ep->tx.delivery->ops->wire_id, bytes, sizeof bytes,
                                  &size));
    TC_TRY(tci_ep_message_send(ep, bytes, size, err));
    ep->hs.ready_sent = true;
    return TC_OK;
}

static void open_endpoint(tc_ep *ep)
{
    TC_LOG(TC_LOG_INFO, "endpoint %u: open, %s to %s (%s, UCX %s, LLVM %s), %s", ep->connection,
           ep->tx.delivery->ops->name, ep->peer.triple, ep->peer.library, ep->peer.ucx,
           ep->peer.llvm,
           ep->peer.identity[0] != '\0' ? ep->peer.identity : "not authenticated");
    TCI_INVARIANT(ep_ready, ep->hs.hello_sent && ep->hs.ready_sent && ep->hs.peer_ready);
    tci_ep_open(ep);
}

void tci_handshake_turn(tc_ep *ep)
{
    tc_error error = {0};
    if (ep->state != TCI_EP_AWAITING_READY)
        return;
    if (!ep->hs.ready_sent) {
        tc_status status = say_ready(ep, &error);
        /* A lost peer may have sent its reason by the stream: check_link in progress.c waits a
         * while for that. */
        if (status == TC_E_AGAIN || (status == TC_E_PEER_LOST && ep->stream != NULL))
            return;
        if (status != TC_OK) {
            tci_ep_fail(ep, &error);
            return;
        }
    }
    if (ep->hs.peer_ready)
        open_endpoint(ep);
}

static void on_hello(tc_ep *ep, const void *bytes, size_t size)
{
    tci_hello hello;
    tc_error error = {0};
    if (ep->state != TCI_EP_AWAITING_HELLO) {
        (void)tci_ep_fail_with(ep, TC_E_CORRUPT, "peer sent a second HELLO");
        return;
    }
    if (tci_hello_decode(bytes, size, TCI_HELLO_HELLO, &hello, &error) != TC_OK) {
        tci_handshake_refuse(ep, &error);
        return;
    }
    if (accept_hello(ep, &hello, &error) != TC_OK) {
        refuse_hello(ep, &hello, &error);
        return;
    }
    TCI_INVARIANT(ep_state, tci_ep_state_may_follow(ep->state, TCI_EP_AWAITING_READY));
    ep->state = TCI_EP_AWAITING_READY;
    tci_handshake_turn(ep);
}

static void on_ready(tc_ep *ep, const void *bytes, size_t size)
{
    uint8_t delivery;
    tc_error error = {0};
    if (ep->state != TCI_EP_AWAITING_READY || ep->hs.peer_ready) {
        (void)tci_ep_fail_with(ep, TC_E_CORRUPT, "peer sent READY before HELLO, or twice");
        return;
    }
    tc_status status = tci_hello_ready_decode(bytes, size, &delivery, &error);
    if (status == TC_OK)
        status = tci_delivery_arrival_of(tci_network_deliveries(ep->core), delivery,
                                         &ep->rx.arrival, &error);
    if (status != TC_OK) {
        tci_handshake_refuse(ep, &error);
        return;
    }
    ep->hs.peer_ready = true;
    tci_handshake_turn(ep);
}

/* Keeps the peer's error until its messages that have arrived were run, as with a goodbye. */
static void give_up_later(tc_ep *ep, const tc_error *said)
{
    if (ep->peer.said_bye)
        return;
    ep->peer.gave_up = malloc(sizeof *said);
    if (ep->peer.gave_up == NULL) {
        (void)tci_ep_fail_with(ep, TC_E_NO_MEMORY, "endpoint: out of memory");
        return;
    }
    *ep->peer.gave_up = *said;
    ep->peer.gave_up->status = TC_E_PEER_LOST;
    tci_error_prefix(ep->peer.gave_up, "peer lost");
    ep->peer.said_bye = true;
    tci_pending_add(&ep->core->pending, TCI_WORK_GOODBYE);
}

static void on_refuse(tc_ep *ep, const void *bytes, size_t size)
{
    tc_error refusal = {0}, error = {0};
    if (tci_hello_refuse_decode(bytes, size, &refusal, &error) != TC_OK) {
        tci_ep_fail(ep, &error);
        return;
    }
    if (ep->state == TCI_EP_OPEN) {
        give_up_later(ep, &refusal);
        return;
    }
    /* A version mismatch keeps its own status, so that a caller can distinguish it from a
     * refusal. TC_E_BUSY, from a peer that accepts no connection now, is kept too: the
     * connecting side tries again. */
    if (refusal.status != TC_E_BUSY)
        tci_error_prefix(&refusal, "peer refused the connection");
    if (refusal.status != TC_E_VERSION && refusal.status != TC_E_BUSY)
        refusal.status = TC_E_REFUSED;
    tci_ep_fail(ep, &refusal);
}

void tci_handshake_message(tc_ep *ep, tci_hello_kind kind, const void *bytes, size_t size)
{
    switch (kind) {
    case TCI_HELLO_HELLO:
        on_hello(ep, bytes, size);
        return;
    case TCI_HELLO_READY:
        on_ready(ep, bytes, size);
        return;
    case TCI_HELLO_REFUSE:
        on_refuse(ep, bytes, size);
        return;
    case TCI_HELLO_BYE:
        ep->peer.said_bye = true;
        tci_pending_add(&ep->core->pending, TCI_WORK_GOODBYE);
        return;
    case TCI_HELLO_WAKEUP:
        if (ep->state >= TCI_EP_AWAITING_READY)
            return; /* its arrival is its only content */
        break;
    case TCI_HELLO_ADDRESS:
        break;
    }
    (void)tci_ep_fail_with(ep, TC_E_CORRUPT, "peer sent a message of kind %d while connecting",
                           (int)kind);
}

void tci_handshake_expire(tc_ep *ep, uint64_t now_ns)
{
    if (ep->state == TCI_EP_OPEN && ep->unconfirmed && now_ns >= ep->hs.deadline_ns)
        (void)tci_ep_fail_with(ep, TC_E_TIMEOUT,
                               "connecting: somebody answered in place of rank %u, and has not "
                               "said that it is of this group",
                               ep->hs.expected_rank);
    if (ep->state < TCI_EP_OPEN && now_ns >= ep->hs.deadline_ns) {
        if (ep->hs.expected_rank != TC_RANK_NONE)
            (void)tci_ep_fail_with(ep, TC_E_TIMEOUT,
                                   "connecting: rank %u did not answer in time",
                                   ep->hs.expected_rank);
        else
            (void)tci_ep_fail_with(ep, TC_E_TIMEOUT,
                                   "connecting: the peer did not answer in time");
    }
}
