/* From a function and its arguments to a frame in the peer's ring.
 *
 * tc_send's first lines are the fast path: the peer knows the function, the payload is a short
 * plain copy into mapped memory, there is room and nothing waits. Everything else goes through
 * a tci_outgoing, one description of a message that either becomes a frame or joins the queue.
 */
#include "send.h"

#include "base/small_copy.h"
#include "core/bell.h"
#include "transfer/landing.h"
#include "transfer/inject_send.h"
#include "transfer/large_send.h"
#include "transfer/outgoing.h"
#include "ifunc/code_form.h"

#include <stdlib.h>

void tci_send_commit(tc_ep *ep, uint8_t *frame, uint64_t bytes, const tci_frame *header)
{
    uint64_t position = ep->tx.tail;
    tci_producer_commit(&ep->tx, frame, bytes, tci_frame_word(header));
    if (ep->push != NULL) {
        ep->push(ep->delivery, position, bytes);
        tci_ep_note_use(ep);
        /* The next one's line, in good time. */
        __builtin_prefetch(tci_producer_next(&ep->tx), 1);
        ep->pushed_bytes += bytes + ep->delivery->ops->frame_overhead_bytes;
        if (header->kind != TCI_FRAME_CONTROL)
            ep->message_end = ep->tx.tail;
    }
    tci_bell_after_frames(ep);
}

/* --- frames -------------------------------------------------------------------------- */

static bool needs_code(const tc_ep *ep, const tci_outgoing *out)
{
    return out->with_code || out->announce || ep->tx_state[out->fn->index] == TCI_TX_UNKNOWN;
}

static uint8_t bound_state(const tc_ifunc *fn)
{
    return fn->entries & TCI_ENTRY_INIT ? TCI_TX_BUILT : TCI_TX_PLAIN;
}

/* Code that is not to be pushed, or too large to share a frame with its payload, is announced
 * in the frame and sent when the peer says that it needs it. */
static bool code_goes_along(const tc_ep *ep, const tci_outgoing *out, const tci_code_form *code)
{
    bool known = ep->tx_state[out->fn->index] != TCI_TX_UNKNOWN;
    if ((ep->core->options.code_push == 0 || known) && !out->with_code)
        return false;
    size_t attached = code->size - TCI_CODE_SECTION_BYTES;
    return tci_frame_code_bytes((uint32_t)out->payload_size, attached) <=
           ep->payload_max + tci_frame_code_bytes(0, 0);
}

static void write_code_section(const tci_outgoing *out, const tci_code_form *code,
                               uint8_t *frame, bool attached)
{
    size_t offset = tci_frame_code_offset((uint32_t)out->payload_size);
    memcpy(frame + offset, code->bytes, attached ? code->size : TCI_CODE_SECTION_BYTES);
}

tc_status tci_outgoing_send_frame(tc_ep *ep, const tci_outgoing *out)
{
    tci_frame header = {.payload_size = (uint32_t)out->payload_size,
                        .slot = out->fn->index,
                        .kind = TCI_FRAME_CALL,
                        .flags = out->routed ? TCI_ROUTED : 0};
    size_t bytes = TCI_FRAME_HEADER_BYTES + out->payload_size;
    bool with_code = needs_code(ep, out);
    tci_code_form code = {0};
    if (with_code) {
        TC_TRY(tci_code_form_for(out->fn, ep->peer_dictionaries, &code));
        bool attached = code_goes_along(ep, out, &code);
        header.kind = TCI_FRAME_CODE;
        header.flags |= (uint8_t)((attached ? TCI_CODE_ATTACHED : 0) |
                                  (out->bind_only ? TCI_CODE_BIND_ONLY : 0) |
                                  (out->announce ? TCI_CODE_ANNOUNCE : 0));
        bytes = tci_frame_code_bytes((uint32_t)out->payload_size,
                                     attached ? code.size - TCI_CODE_SECTION_BYTES : 0);
    }
    tci_ep_send_gathered(ep);
    uint8_t *frame = tci_producer_reserve(&ep->tx, bytes);
    if (frame == NULL)
        return TC_E_AGAIN;
    TC_TRY(tci_outgoing_fill_frame(ep, out, frame + TCI_FRAME_HEADER_BYTES));
    if (with_code) {
        write_code_section(out, &code, frame, (header.flags & TCI_CODE_ATTACHED) != 0);
        ep->tx_state[out->fn->index] = bound_state(out->fn);
        ep->core->counters[TCI_CODE_SENT]++;
    }
    tci_send_commit(ep, frame, bytes, &header);
    return TC_OK;
}

tc_status tci_send_binding(tc_ep *ep, tc_ifunc *fn)
{
    const tci_outgoing out = {.fn = fn, .built = true, .bind_only = true};
    if (!needs_code(ep, &out))
        return TC_OK;
    TC_TRY(tci_outgoing_send_frame(ep, &out));
    ep->part_frames++;
    return TC_OK;
}

tc_status tci_send_prepare(tc_ep *ep, tc_ifunc *fn)
{
    const tci_outgoing out = {.fn = fn, .built = true, .bind_only = true, .announce = true};
    if (ep->tx_state[fn->index] == TCI_TX_REFUSED)
        return TC_E_REFUSED;
    if (tci_ep_has_waiting(ep) || ep->partial != NULL || !tci_ep_takes_messages(ep))
        return TC_E_AGAIN;
    TC_TRY(tci_outgoing_send_frame(ep, &out));
    ep->part_frames++;
    return TC_OK;
}

/* --- large payloads ------------------------------------------------------------------ */

/* The payload is made once, whatever number of calls it takes to send it. */
static tc_status send_large(tc_ep *ep, const tci_outgoing *out)
{
    uint8_t *owned = NULL;
    bool made = !out->built && (out->fn->entries & TCI_ENTRY_INIT);
    if (ep->partial == NULL && (made || out->route != NULL)) {
        owned = malloc(out->payload_size);
        if (owned == NULL)
            return TC_E_NO_MEMORY;
        tc_status status = tci_outgoing_fill(ep->core, out, owned);
        if (status != TC_OK) {
            free(owned);
            return status;
        }
    }
    return tci_large_send(ep, out->fn, out->args, out->args_size, owned, out->payload_size,
                          out->routed ? TCI_ROUTED : 0);
}

/* Whether it goes another way than in a frame. */
static bool is_large(tc_ep *ep, const tci_outgoing *out)
{
    if (out->payload_size > ep->payload_max)
        return true;
    if (out->payload_size < TCI_LANDING_PAYLOAD_MIN || ep->push != NULL || out->with_code)
        return false;
    tci_landing_offer(ep);
    return tci_landing_is_open(ep);
}

/* What waits goes first. A payload in pieces that is under way is gone on with by its own call,
 * or by tc_progress. */
static tc_status send_in_order(tc_ep *ep, const tci_outgoing *out)
{
    if (tci_large_continues(ep, out->fn, out->args, out->args_size))
        return send_large(ep, out);
    if (ep->partial != NULL && !ep->partial->queued)
        return ep->core->attention & TCI_RUNNING ? TC_E_AGAIN : TC_E_BUSY;
    tci_send_queued(ep);
    if (ep->partial != NULL || ep->queue != NULL)
        return TC_E_AGAIN;
    if (out->injected != NULL)
        return tci_inject_send(ep, out);
    return is_large(ep, out) ? send_large(ep, out) : tci_outgoing_send_frame(ep, out);
}

/* --- the calls ----------------------------------------------------------------------- */

static tc_status send_unopened(tc_ep *ep, tci_outgoing *out)
{
    tc_error error;
    if (ep->state >= TCI_EP_CLOSED) {
        (void)tci_large_give_up(ep);
        return tc_ep_error(ep, NULL);
    }
    if (ep->group == NULL || out->injected != NULL)
        return TC_E_AGAIN;
    TC_TRY(tci_outgoing_measure(out, &error));
    return tci_outgoing_queue(ep, out);
}

static tc_status send_or_queue(tc_ep *ep, tci_outgoing *out)
{
    tc_error error;
    out->routed |= out->route != NULL;
    if (!tci_ep_takes_messages(ep))
        return send_unopened(ep, out);
    if (ep->building)
        return TC_E_BUSY;
    if (ep->tx_state[out->fn->index] == TCI_TX_REFUSED) {
        bool continues = tci_large_continues(ep, out->fn, out->args, out->args_size);
        return !continues || tci_large_give_up(ep) ? TC_E_REFUSED : TC_E_AGAIN;
    }
    tc_status status = tci_outgoing_measure(out, &error);
    if (status != TC_OK)
        return status;
    status = send_in_order(ep, out);
    TC_TRY(tci_ep_check_credit(ep));
    bool is_running = (ep->core->attention & TCI_RUNNING) != 0;
    if (status != TC_E_AGAIN || !(is_running || out->routed) || out->injected != NULL)
        return status;
    if (tci_large_continues(ep, out->fn, out->args, out->args_size))
        return tci_large_queue(ep);
    bool fits = out->payload_size <= ep->payload_max || out->routed;
    return fits && is_running ? tci_outgoing_queue(ep, out) : TC_E_AGAIN;
}

tc_status tci_outgoing_send(tc_ep *ep, tci_outgoing *out)
{
    tc_status status = send_or_queue(ep, out);
    ep->core->starved |= status == TC_E_AGAIN;
    return status;
}

/* A function that travels sends itself on to a peer that knows it, most often. */
tc_status tci_outgoing_send_routed(tc_ep *ep, tc_ifunc *fn, const tci_route *route,
                                   const void *payload, size_t size)
{
    const uint8_t known = ep->tx_state[fn->index];
    const size_t payload_size = size + tci_route_bytes(route);
    if (payload_size < ep->frame_limit && (known == TCI_TX_PLAIN || known == TCI_TX_BUILT)) {
        const tci_frame header = {.payload_size = (uint32_t)payload_size,
                                  .slot = fn->index,
                                  .kind = TCI_FRAME_CALL,
                                  .flags = TCI_ROUTED};
        const uint64_t bytes = TCI_FRAME_HEADER_BYTES + payload_size;
        tci_ep_send_gathered(ep);
        uint8_t *frame = tci_producer_try_reserve(&ep->tx, bytes);
        if (frame != NULL) {
            if (size > 0)
                memcpy(frame + TCI_FRAME_HEADER_BYTES, payload, size);
            tci_route_encode(route, frame + TCI_FRAME_HEADER_BYTES + size);
            tci_send_commit(ep, frame, bytes, &header);
            return TC_OK;
        }
    }
    tci_outgoing out = {
        .fn = fn, .args = payload, .args_size = size, .built = true, .route = route};
    return tci_outgoing_send(ep, &out);
}

static __attribute__((noinline)) tc_status send_slowly(tc_ep *ep, tc_ifunc *fn,
                                                       const void *source_args, size_t size)
{
    tci_outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    tci_bell_after_frames(ep); /* for those that tc_send stored before it came here */
    return tci_outgoing_send(ep, &out);
}

static __attribute__((noinline)) tc_status ring_peer(tc_ep *ep)
{
    tci_bell_ring(ep);
    return TC_OK;
}

/* The last thing that tc_send does, so that it may end in a jump. */
static inline tc_status answer_bell(tc_ep *ep)
{
    return __builtin_expect(tci_bell_has_changed(ep), 0) ? ring_peer(ep) : TC_OK;
}

/* The first message of a turn leaves at once; short ones behind it gather and leave together,
 * at the latest with tc_progress. Between two processors a message costs what its stores wait
 * for (base/small_copy.h), and a call stores more beside the frame than in it; together, only
 * the frames count. docs/decisions/direct-rate.md has the figures. */
static inline tc_status send_short(tc_ep *ep, uint64_t word, uint64_t payload)
{
    if (!ep->turn_used) {
        tci_ep_note_use(ep);
        tci_producer_commit_word(&ep->tx, tci_producer_next(&ep->tx), word, payload);
        return answer_bell(ep);
    }
    ep->gather[ep->gathered++] = (tci_short_call){word, payload};
    if (ep->gathered < TCI_GATHER_MAX)
        return TC_OK;
    tci_ep_send_gathered(ep);
    return answer_bell(ep);
}

/* The fast path: no call, unless eight have gathered or the peer is asleep. */
tc_status tc_send(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    if (__builtin_expect(size < ep->fast_limit && ep->tx_state[fn->index] == TCI_TX_PLAIN, 1)) {
        uint64_t word = fn->call_word | size;
        if (size <= sizeof(uint64_t) &&
            __builtin_expect(tci_producer_has_granules(&ep->tx, ep->gathered + 1), 1)) {
            return send_short(ep, word, tci_small_load(source_args, size));
        }
        tci_ep_send_gathered(ep);
        uint64_t bytes = TCI_FRAME_HEADER_BYTES + size;
        uint8_t *frame = tci_producer_try_reserve(&ep->tx, bytes);
        if (__builtin_expect(frame != NULL, 1)) {
            tci_small_copy(frame + TCI_FRAME_HEADER_BYTES, source_args, size);
            tci_producer_commit(&ep->tx, frame, bytes, word);
            return answer_bell(ep);
        }
    }
    return send_slowly(ep, fn, source_args, size);
}

tc_status tc_send_uncached(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    tci_outgoing out = {.fn = fn, .args = source_args, .args_size = size, .with_code = true};
    return tci_outgoing_send(ep, &out);
}
