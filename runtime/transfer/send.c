/* Sends a message: from a function and its arguments to a frame in the peer's ring.
 *
 * tc_send tries four ways, from the cheapest to the most general:
 * 1. send_now: a copied payload of at most 48 bytes, for a function that the peer knows, into a
 *    mapped ring with space. Payloads of up to 8 bytes gather (short_out.h), as do those of 49
 *    to 320 bytes (try_gathered).
 * 2. send_quickly: any payload below the frame limit, for a function that the peer knows
 *    (try_frame), or that asks for alignment (tci_frame_out_try).
 * 3. tci_send_message: sends queued items first, then the message: in an INJECT frame, in parts
 *    (large_send.h), or in one frame with the code that the peer needs (frame_out.h).
 * 4. The queue, if an ifunc sends, a large payload has a route, or the endpoint of a group is
 *    not open yet. Other callers get TC_E_AGAIN, and tc_wait reports space (send_space.h).
 *
 * A short message costs its stores (base/small_copy.h), so ways 1 and 2 check little. Their
 * size limits are 0 while the endpoint is not open, something is queued, a payload is being
 * made or partly sent, or space is held (tci_ep_set_fast); one comparison covers all of these.
 *
 * No way may overtake an earlier message (what has gathered is committed before other frames),
 * write to the ring while NAME_payload_init does, wait for credit, or read the arguments after
 * TC_OK. */
#include "transfer/send.h"

#include "base/small_copy.h"
#include "base/assertion.h"
#include "core/ep_state.h"
#include "core/sole_user.h"
#include "transfer/frame_copy.h"
#include "transfer/frame_out.h"
#include "transfer/large_send.h"
#include "transfer/queue_drain.h"
#include "transfer/send_space.h"
#include "transfer/send_error.h"
#include "transfer/send_queue.h"
#include "transfer/short_out.h"
#include "transfer/staging.h"

#include <tc/advanced.h>

#define ALWAYS __attribute__((always_inline)) /* called with constants: a copy for each */

#ifdef TCI_SMALL
#define GATHERS 0                  /* each frame of several lines is signalled at once */
#define COLD __attribute__((cold)) /* made small */
#else
#define GATHERS 1
#define COLD
#endif

/* --- one message ------------------------------------------------------------------------- */

/* Returns whether the payload is long enough for the staging segment, and that is open. */
static bool may_be_staged(tc_ep *ep, const tci_outgoing *out)
{
    return out->payload_size >= TCI_STAGING_PAYLOAD_MIN && ep->tx.push == NULL &&
           out->kind != TCI_OUT_WITH_CODE && tci_staging_prepare(ep);
}

/* Sends injected code in one frame with the tci_staged that locates the payload, which is
 * copied to the segment as a whole. */
static tc_status stage_injected(tc_ep *ep, const tci_outgoing *out)
{
    const size_t size = out->payload_size;
    if (!tci_frame_out_fits(ep, TCI_STAGED_BYTES, out->injected.size))
        return TC_E_TOO_LARGE;
    const tci_frame header = {.slot = out->fn->index,
                              .kind = TCI_FRAME_INJECT,
                              .flags = TCI_INJECT_STAGED | out->flags};
    return tci_staging_send(ep, header, (tci_staged){.fragment = {.total = size}, .size = size},
                            out->args, out->fn->alignment, out->injected)
               ? TC_OK
               : TC_E_AGAIN;
}

/* Returns whether the same call has sent a part of the payload; a tc_call is another one. */
static bool continues_large(const tc_ep *ep, const tci_outgoing *out)
{
    const tci_large_request *large = ep->tx.large;
    return large != NULL && !large->queued && large->fn == out->fn &&
           large->args == out->args && large->args_size == out->args_size &&
           large->routed == out->flags && out->kind != TCI_OUT_INJECT;
}

/* Begins or continues a payload in parts. It is continued by repeating the same call or, if its
 * sender cannot be asked for that, by tc_progress. */
static tc_status send_large(tc_ep *ep, const tci_outgoing *out)
{
    const tc_status status = tci_large_send(ep, out, false);
    const bool repeats =
        (out->flags & TCI_ROUTED) == 0 && !tci_pending_has(&ep->core->pending, TCI_RUNNING);
    if (status != TC_E_AGAIN || ep->tx.large == NULL || repeats)
        return status;
    TC_TRY(tci_ep_check_credit(ep));
    return tci_large_queue(ep);
}

/* Sends queued messages first. */
static tc_status send_in_order(tc_ep *ep, const tci_outgoing *out)
{
    if (ep->tx.large != NULL && !ep->tx.large->queued)
        return tci_pending_has(&ep->core->pending, TCI_RUNNING) ? TC_E_AGAIN : TC_E_BUSY;
    tci_queue_drain(ep);
    if (ep->tx.large != NULL || ep->tx.queue != NULL)
        return TC_E_AGAIN;
    const bool staged = may_be_staged(ep, out);
    if (out->kind != TCI_OUT_INJECT && (staged || out->payload_size > ep->tx.payload_max))
        return send_large(ep, out);
    /* Receivers take no injected code in fragments. */
    if (staged && !out->made &&
        tci_staging_part(ep, out->payload_size, out->payload_size) == out->payload_size)
        return stage_injected(ep, out);
    return tci_frame_out_message(ep, out);
}

/* Returns TC_OK when the message may be sent or, before the endpoint is open, queued. */
static tc_status check(tc_ep *ep, const tci_outgoing *out)
{
    if (ep->state >= TCI_EP_CLOSED) {
        (void)tci_large_give_up(ep);
        return tc_ep_error(ep, NULL);
    }
    if (!tci_ep_takes_messages(ep))
        return ep->tx.queues_unopened && out->kind != TCI_OUT_INJECT ? TC_OK : TC_E_AGAIN;
    if (ep->tx.building)
        return TC_E_BUSY;
    if (ep->tx.bindings[out->fn->index] != TCI_TX_REFUSED)
        return TC_OK;
    return !continues_large(ep, out) || tci_large_give_up(ep) ? TC_E_REFUSED : TC_E_AGAIN;
}

/* Queues a message that cannot leave now, if its sender cannot be asked to repeat it. */
static tc_status queue_rest(tc_ep *ep, const tci_outgoing *out)
{
    const bool fits = out->payload_size <= ep->tx.payload_max || (out->flags & TCI_ROUTED) != 0;
    if (ep->state >= TCI_EP_CLOSED || out->kind == TCI_OUT_INJECT)
        return TC_E_AGAIN;
    if (tci_ep_takes_messages(ep) &&
        !(fits && tci_pending_has(&ep->core->pending, TCI_RUNNING)))
        return TC_E_AGAIN;
    return tci_send_queue_message(ep, out);
}

static tc_status send_or_queue(tc_ep *ep, tci_outgoing *out, tc_error *err)
{
    tc_status status = check(ep, out);
    if (status == TC_OK)
        status = tci_outgoing_measure(out, err);
    if (status != TC_OK)
        return status;
    if (continues_large(ep, out))
        status = send_large(ep, out);
    else
        status = tci_ep_takes_messages(ep) ? send_in_order(ep, out) : TC_E_AGAIN;
    if (status != TC_OK)
        TC_TRY(tci_ep_check_credit(ep));
    return status == TC_E_AGAIN ? queue_rest(ep, out) : status;
}

COLD tc_status tci_send_message(tc_ep *ep, tci_outgoing *out)
{
    tc_error error;
    error.status = TC_OK;
    tc_status status = send_or_queue(ep, out, &error);
    if (status == TC_E_AGAIN)
        tci_send_space_want(ep);
    else if (status != TC_OK)
        return tci_send_error_keep(ep, status, &error);
    return status;
}

COLD bool tci_send_routed_now(tc_ep *ep, const tc_ifunc *fn, const tci_route *route,
                              const void *payload, size_t size)
{
    const size_t whole = size + tci_route_bytes(route);
    const uint64_t bytes = TCI_FRAME_HEADER_BYTES + whole;
    if (whole >= ep->tx.frame_limit || ep->tx.bindings[fn->index] != TCI_TX_PLAIN ||
        fn->alignment > TCI_PAYLOAD_ALIGNMENT_MIN)
        return false;
    if (tci_sender_gathers(&ep->tx))
        (void)tci_short_out_all(ep);
    const uint64_t position = ep->tx.ring.tail;
    uint8_t *frame = tci_producer_try_reserve(&ep->tx.ring, bytes);
    if (frame == NULL)
        return false;
    tci_small_copy_any(frame + TCI_FRAME_HEADER_BYTES, payload, size);
    tci_route_encode(route, frame + TCI_FRAME_HEADER_BYTES + size);
    tci_producer_commit(&ep->tx.ring, frame, bytes,
                        fn->call_word | (uint64_t)TCI_ROUTED << 56 | whole);
    if (ep->tx.push != NULL) {
        tci_frame_out_push(ep, position, bytes);
        ep->tx.message_end = ep->tx.ring.tail;
    }
    tci_doorbell_after_frames(ep);
    return true;
}

/* Tries a frame at once first: a function that travels most often sends itself on to a peer
 * that knows it. */
tc_status tci_send_routed(tc_ep *ep, tc_ifunc *fn, const tci_route *route, const void *payload,
                          size_t size)
{
    if (tci_send_routed_now(ep, fn, route, payload, size))
        return TC_OK;
    uint8_t tail[TCI_ROUTE_BYTES_MAX];
    tci_route_encode(route, tail);
    tci_outgoing out = {.fn = fn,
                        .args = payload,
                        .args_size = size,
                        .built = true,
                        .flags = TCI_ROUTED,
                        .tail = {tail, tci_route_bytes(route)}};
    return tci_frame_out_try(ep, &out) ? TC_OK : tci_send_message(ep, &out);
}

/* Writes the frame of a call that needs neither code nor lead, if there is space at once. Both
 * users pass a constant `small`: no payload is above TCI_SMALL_COPY_MAX. */
static inline ALWAYS bool put_call(tc_ep *ep, const tc_ifunc *fn, const void *source_args,
                                   size_t size, bool small)
{
    const uint64_t bytes = TCI_FRAME_HEADER_BYTES + size;
    uint8_t *frame = tci_producer_try_reserve(&ep->tx.ring, bytes);
    if (__builtin_expect(frame == NULL, 0))
        return false;
    if (small)
        tci_small_copy(frame + TCI_FRAME_HEADER_BYTES, source_args, size);
    else
        tci_frame_copy(ep, frame + TCI_FRAME_HEADER_BYTES, source_args, size);
    tci_producer_commit(&ep->tx.ring, frame, bytes, fn->call_word | size);
    return true;
}

/* Writes a frame behind another of this turn. Its signal follows with others, so that the
 * consumer does not poll lines that are being written (docs/decisions/direct-rate.md). */
static inline bool try_gathered(tc_ep *ep, const tc_ifunc *fn, const void *source_args,
                                size_t size, size_t limit)
{
    if (!GATHERS || size >= limit || size <= TCI_SMALL_COPY_MAX || size > TCI_FRAME_COPY_MAX ||
        !ep->tx.used || ep->tx.push != NULL || fn->alignment > TCI_PAYLOAD_ALIGNMENT_MIN ||
        ep->tx.bindings[fn->index] != TCI_TX_PLAIN)
        return false;
    if (ep->tx.ring.unsignalled_count == TCI_UNSIGNALLED_MAX || ep->tx.coalesced_count > 0)
        (void)tci_short_out_all(ep);
    const uint64_t bytes = TCI_FRAME_HEADER_BYTES + size;
    uint8_t *frame = tci_producer_try_reserve(&ep->tx.ring, bytes);
    if (__builtin_expect(frame == NULL, 0))
        return false;
    tci_frame_copy_ascending(frame + TCI_FRAME_HEADER_BYTES, source_args, size);
    tci_producer_commit_unsignalled(&ep->tx.ring, frame, bytes, fn->call_word | size);
    return true;
}

/* tc_send for a function that the peer knows, of a payload that needs no lead or goes to a
 * delivery that carries frames, if there is space at once. */
static __attribute__((noinline)) bool
try_frame(tc_ep *ep, const tc_ifunc *fn, const void *source_args, size_t size, size_t limit)
{
    const bool carried = ep->tx.push != NULL;
    if (size >= limit || ep->tx.bindings[fn->index] != TCI_TX_PLAIN ||
        (!carried && (!GATHERS || fn->alignment > TCI_PAYLOAD_ALIGNMENT_MIN)))
        return false;
    if (!carried && tci_sender_gathers(&ep->tx))
        (void)tci_short_out_all(ep);
    const uint64_t position = ep->tx.ring.tail;
    if (!put_call(ep, fn, source_args, size, false))
        return false;
    if (carried) {
        tci_frame_out_push(ep, position, TCI_FRAME_HEADER_BYTES + size);
        ep->tx.message_end = ep->tx.ring.tail;
    } else {
        tci_doorbell_after_frames(ep);
    }
    return true;
}

/* Sends a message that the way before it did not take. */
typedef tc_status send_rest(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size);

static inline tc_status send_quickly(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                     size_t size, size_t limit, send_rest *rest)
{
    if (try_frame(ep, fn, source_args, size, limit))
        return TC_OK;
    tci_outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    if (fn->alignment > TCI_PAYLOAD_ALIGNMENT_MIN && size < limit &&
        tci_frame_out_try(ep, &out))
        return TC_OK;
    return rest(ep, fn, source_args, size);
}

static tc_status send_by_any_way(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    tci_outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    tci_doorbell_after_frames(ep); /* for frames that tc_send stored before this call */
    return tci_send_message(ep, &out);
}

/* The fast path: makes no call, unless eight messages have gathered or the peer is asleep. */
static inline ALWAYS tc_status send_now(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                        size_t size, size_t limit, send_rest *rest)
{
    if (__builtin_expect(size < limit && ep->tx.bindings[fn->index] == TCI_TX_PLAIN, 1)) {
        if (size <= sizeof(uint64_t) &&
            __builtin_expect(
                tci_producer_has_granules(&ep->tx.ring, ep->tx.coalesced_count + 1), 1)) {
            return tci_short_out(ep, fn->call_word | size, tci_small_load(source_args, size));
        }
        if (__builtin_expect(ep->tx.ring.unsignalled_count > 0, 0))
            return rest(ep, fn, source_args, size);
        tci_sender_commit_calls(&ep->tx);
        if (put_call(ep, fn, source_args, size, true))
            return tci_short_out_doorbell(ep);
    }
    return rest(ep, fn, source_args, size);
}

/* --- where threads are checked ----------------------------------------------------------- */

COLD static __attribute__((noinline)) tc_status
slowly_inside(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    return try_gathered(ep, fn, source_args, size, ep->tx.frame_limit)
               ? TC_OK
               : send_quickly(ep, fn, source_args, size, ep->tx.frame_limit, send_by_any_way);
}

COLD static __attribute__((noinline)) tc_status
send_inside(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    bool entered = tci_sole_user_enter(ep->core, "tc_send");
    tc_status status =
        send_now(ep, fn, source_args, size, tci_ep_short_limit(ep), slowly_inside);
    tci_sole_user_leave(ep->core, entered);
    return status;
}

static tc_status check_and_send(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    return ep->core->checks_users ? send_inside(ep, fn, source_args, size)
                                  : send_by_any_way(ep, fn, source_args, size);
}

/* --- the calls --------------------------------------------------------------------------- */

COLD static __attribute__((noinline)) tc_status send_frame(tc_ep *ep, tc_ifunc *fn,
                                                           const void *source_args, size_t size)
{
    return send_quickly(ep, fn, source_args, size, ep->tx.quick_limit, check_and_send);
}

static __attribute__((noinline)) tc_status send_slowly(tc_ep *ep, tc_ifunc *fn,
                                                       const void *source_args, size_t size)
{
    return try_gathered(ep, fn, source_args, size, ep->tx.quick_limit)
               ? TC_OK
               : send_frame(ep, fn, source_args, size);
}

tc_status tc_send(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    return send_now(ep, fn, source_args, size, ep->tx.fast_limit, send_slowly);
}

COLD tc_status tc_send_uncached(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    tci_outgoing out = {
        .fn = fn, .args = source_args, .args_size = size, .kind = TCI_OUT_WITH_CODE};
    bool entered = tci_sole_user_enter(ep->core, "tc_send_uncached");
    tc_status status = tci_send_message(ep, &out);
    tci_sole_user_leave(ep->core, entered);
    return status;
}
