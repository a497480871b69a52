/* From a function and its arguments to a frame in the peer's ring.
 *
 * tc_send's first lines are the fast path: the peer knows the function, the payload is a short
 * plain copy into mapped memory, there is room and nothing waits. Everything else goes through
 * `outgoing`, one description of a message that either becomes a frame or joins the queue. */
#include "send.h"

#include "base/small_copy.h"
#include "endpoint/bell.h"
#include "endpoint/landing.h"
#include "endpoint/large_send.h"
#include "ifunc/inject_section.h"

#include <stdlib.h>

/* A message on its way into a ring or the queue. */
typedef struct outgoing {
    tc_ifunc *fn;
    const void *args;
    size_t args_size;
    size_t payload_size;
    bool built;              /* args is the payload itself */
    bool with_code;          /* though the peer knows it */
    bool bind_only;          /* no call */
    const uint8_t *injected; /* or NULL: code for this one call, see ifunc/inject_section.h */
    size_t injected_size;
} outgoing;

void tci_send_commit(tc_ep *ep, uint8_t *frame, uint64_t bytes, const tci_frame *header)
{
    uint64_t position = ep->tx.tail;
    tci_producer_commit(&ep->tx, frame, bytes, tci_frame_word(header));
    if (ep->push != NULL) {
        ep->push(ep->delivery, position, bytes);
        ep->pushed_bytes += bytes + ep->delivery->ops->frame_overhead_bytes;
    }
    tci_bell_after_frames(ep);
}

/* --- payloads ------------------------------------------------------------------------ */

static tc_status measure_payload(outgoing *out, tc_error *err)
{
    if (out->built || !(out->fn->entries & TCI_ENTRY_INIT)) {
        out->payload_size = out->args_size;
        return TC_OK;
    }
    TC_TRY(tci_ifunc_load(out->fn, err));
    out->payload_size = out->fn->entry.max_size((void *)(uintptr_t)out->args, out->args_size);
    return TC_OK;
}

/* hub NULL: nothing else can be disturbed. */
static tc_status fill_payload(tci_hub *hub, const outgoing *out, uint8_t *payload)
{
    if (out->built || !(out->fn->entries & TCI_ENTRY_INIT)) {
        if (out->args_size > 0)
            memcpy(payload, out->args, out->args_size);
        return TC_OK;
    }
    if (hub != NULL)
        hub->attention |= TCI_BUILDING;
    int result = out->fn->entry.init(payload, out->payload_size, (void *)(uintptr_t)out->args,
                                     out->args_size);
    if (hub != NULL)
        hub->attention &= ~(unsigned)TCI_BUILDING;
    return result == 0 ? TC_OK : TC_E_PAYLOAD;
}

/* --- frames -------------------------------------------------------------------------- */

static bool needs_code(const tc_ep *ep, const outgoing *out)
{
    return out->with_code || ep->tx_state[out->fn->index] == TCI_TX_UNKNOWN;
}

static uint8_t bound_state(const tc_ifunc *fn)
{
    return fn->entries & TCI_ENTRY_INIT ? TCI_TX_BUILT : TCI_TX_PLAIN;
}

/* The user's function writes into the reserved frame itself. A tc_send to the same endpoint
 * from inside it would write there too, so it finds `building` set. */
static tc_status fill_frame(tc_ep *ep, const outgoing *out, uint8_t *payload)
{
    ep->building = true;
    tci_ep_set_fast(ep);
    tc_status status = fill_payload(ep->hub, out, payload);
    ep->building = false;
    tci_ep_set_fast(ep);
    return status;
}

/* Code that is not to be pushed, or too large to share a frame with its payload, is announced
 * in the frame and sent when the peer says that it needs it. */
static bool code_goes_along(const tc_ep *ep, const outgoing *out)
{
    if (ep->hub->options.code_push == 0 && !out->with_code)
        return false;
    size_t attached = out->fn->code_bytes - TCI_CODE_SECTION_BYTES;
    return tci_frame_code_bytes((uint32_t)out->payload_size, attached) <=
           ep->payload_max + tci_frame_code_bytes(0, 0);
}

static void write_code_section(const outgoing *out, uint8_t *frame, bool attached)
{
    size_t offset = tci_frame_code_offset((uint32_t)out->payload_size);
    memcpy(frame + offset, out->fn->code,
           attached ? out->fn->code_bytes : TCI_CODE_SECTION_BYTES);
}

/* Where the segment is worth it, and the payload needs no making. */
static bool can_land(tc_ep *ep, const outgoing *out)
{
    bool made = !out->built && (out->fn->entries & TCI_ENTRY_INIT) != 0;
    if (out->payload_size < TCI_LANDING_PAYLOAD_MIN || ep->push != NULL || made)
        return false;
    tci_landing_offer(ep);
    return tci_landing_is_open(ep) &&
           tci_landing_part(ep, out->payload_size, out->payload_size) == out->payload_size;
}

static tc_status send_injected_landed(tc_ep *ep, const outgoing *out)
{
    const tci_frame header = {.payload_size = TCI_LANDED_BYTES,
                              .slot = out->fn->index,
                              .kind = TCI_FRAME_INJECT,
                              .flags = TCI_INJECT_LANDED};
    tci_landed landed = {.piece = {.total = out->payload_size}, .size = out->payload_size};
    const size_t offset = tci_frame_code_offset(TCI_LANDED_BYTES);
    uint8_t *to = tci_landing_reserve(ep, out->payload_size, &landed.place);
    uint8_t *frame =
        to != NULL ? tci_producer_reserve(&ep->tx, offset + out->injected_size) : NULL;
    if (frame == NULL)
        return TC_E_AGAIN;
    tci_landing_copy(ep, to, out->args, out->payload_size);
    tci_landed_encode(&landed, frame + TCI_FRAME_HEADER_BYTES);
    memcpy(frame + offset, out->injected, out->injected_size);
    tci_send_commit(ep, frame, offset + out->injected_size, &header);
    tci_landing_commit(ep, out->payload_size);
    ep->pushed_bytes += out->payload_size;
    return TC_OK;
}

/* A message that brings its code along: whatever the peer knows. */
static tc_status send_injected_frame(tc_ep *ep, const outgoing *out)
{
    const tci_frame header = {.payload_size = (uint32_t)out->payload_size,
                              .slot = out->fn->index,
                              .kind = TCI_FRAME_INJECT};
    size_t offset = tci_frame_code_offset(header.payload_size);
    size_t bytes = offset + out->injected_size;
    if (bytes > ep->payload_max + tci_frame_code_bytes(0, 0))
        return TC_E_TOO_LARGE;
    tci_ep_send_gathered(ep);
    if (can_land(ep, out))
        return send_injected_landed(ep, out);
    uint8_t *frame = tci_producer_reserve(&ep->tx, bytes);
    if (frame == NULL)
        return TC_E_AGAIN;
    TC_TRY(fill_frame(ep, out, frame + TCI_FRAME_HEADER_BYTES));
    memcpy(frame + offset, out->injected, out->injected_size);
    tci_send_commit(ep, frame, bytes, &header);
    return TC_OK;
}

static tc_status send_frame(tc_ep *ep, const outgoing *out)
{
    tci_frame header = {.payload_size = (uint32_t)out->payload_size,
                        .slot = out->fn->index,
                        .kind = TCI_FRAME_CALL};
    size_t bytes = TCI_FRAME_HEADER_BYTES + out->payload_size;
    bool code = needs_code(ep, out);
    if (code) {
        bool attached = code_goes_along(ep, out);
        header.kind = TCI_FRAME_CODE;
        header.flags = (uint8_t)((attached ? TCI_CODE_ATTACHED : 0) |
                                 (out->bind_only ? TCI_CODE_BIND_ONLY : 0));
        bytes =
            tci_frame_code_bytes((uint32_t)out->payload_size,
                                 attached ? out->fn->code_bytes - TCI_CODE_SECTION_BYTES : 0);
    }
    tci_ep_send_gathered(ep);
    uint8_t *frame = tci_producer_reserve(&ep->tx, bytes);
    if (frame == NULL)
        return TC_E_AGAIN;
    TC_TRY(fill_frame(ep, out, frame + TCI_FRAME_HEADER_BYTES));
    if (code) {
        write_code_section(out, frame, (header.flags & TCI_CODE_ATTACHED) != 0);
        ep->tx_state[out->fn->index] = bound_state(out->fn);
        ep->hub->counters[TCI_CODE_SENT]++;
    }
    tci_send_commit(ep, frame, bytes, &header);
    return TC_OK;
}

tc_status tci_send_binding(tc_ep *ep, tc_ifunc *fn)
{
    const outgoing out = {.fn = fn, .built = true, .bind_only = true};
    if (!needs_code(ep, &out))
        return TC_OK;
    TC_TRY(send_frame(ep, &out));
    ep->part_frames++;
    return TC_OK;
}

/* --- the queue ----------------------------------------------------------------------- */

static tc_status queue_message(tc_ep *ep, const outgoing *out)
{
    size_t bytes = sizeof(tci_queued) + out->payload_size;
    if (ep->queue_bytes + bytes > ep->hub->options.send_queue_bytes)
        return TC_E_AGAIN;
    tci_queued *item = calloc(1, bytes);
    if (item == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = fill_payload(ep->hub, out, item->payload);
    if (status != TC_OK) {
        free(item);
        return status;
    }
    item->fn = out->fn;
    tci_ifunc_hold(out->fn);
    item->frame.payload_size = (uint32_t)out->payload_size;
    item->with_code = out->with_code;
    *ep->queue_last = item;
    ep->queue_last = &item->next;
    ep->queue_bytes += bytes;
    tci_ep_set_fast(ep);
    ep->hub->attention |= TCI_CHORES;
    ep->hub->counters[TCI_SENDS_QUEUED]++;
    return TC_OK;
}

static bool try_control(tc_ep *ep, const tci_frame *header, const void *payload)
{
    uint64_t bytes = TCI_FRAME_HEADER_BYTES + header->payload_size;
    tci_ep_send_gathered(ep);
    uint8_t *frame = tci_producer_reserve_control(&ep->tx, bytes);
    if (frame == NULL)
        return false;
    if (header->payload_size > 0)
        memcpy(frame + TCI_FRAME_HEADER_BYTES, payload, header->payload_size);
    tci_send_commit(ep, frame, bytes, header);
    ep->control_frames++;
    return true;
}

void tci_send_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                      size_t payload_size)
{
    const tci_frame header = {.payload_size = (uint32_t)payload_size,
                              .slot = slot,
                              .kind = TCI_FRAME_CONTROL,
                              .flags = (uint8_t)control};
    if (!tci_ep_is_open(ep) || try_control(ep, &header, payload))
        return;
    tci_queued *item = calloc(1, sizeof *item + payload_size);
    if (item == NULL) {
        (void)tci_ep_fail_with(ep, TC_E_NO_MEMORY, "control frame: out of memory");
        return;
    }
    item->frame = header;
    if (payload_size > 0)
        memcpy(item->payload, payload, payload_size);
    item->next = ep->queue;
    if (ep->queue == NULL)
        ep->queue_last = &item->next;
    ep->queue = item;
    tci_ep_set_fast(ep);
    ep->hub->attention |= TCI_CHORES;
}

static tc_status send_item(tc_ep *ep, const tci_queued *item)
{
    if (item->fn == NULL)
        return try_control(ep, &item->frame, item->payload) ? TC_OK : TC_E_AGAIN;
    const outgoing out = {.fn = item->fn,
                          .args = item->payload,
                          .args_size = item->frame.payload_size,
                          .payload_size = item->frame.payload_size,
                          .built = true,
                          .with_code = item->with_code};
    if (ep->tx_state[item->fn->index] == TCI_TX_REFUSED)
        return TC_OK; /* the peer does not run it; tc_ep_refusal says so */
    return send_frame(ep, &out);
}

void tci_send_queued(tc_ep *ep)
{
    while (tci_large_turn(ep) && ep->queue != NULL && tci_ep_is_open(ep)) {
        tci_queued *item = ep->queue;
        if (send_item(ep, item) == TC_E_AGAIN)
            return;
        ep->queue = item->next;
        if (ep->queue == NULL)
            ep->queue_last = &ep->queue;
        if (item->fn != NULL) {
            ep->queue_bytes -= sizeof *item + item->frame.payload_size;
            tci_ifunc_release(item->fn);
        }
        free(item);
    }
    tci_ep_set_fast(ep);
}

/* --- large payloads ------------------------------------------------------------------ */

/* The payload is made once, whatever number of calls it takes to send it. */
static tc_status send_large(tc_ep *ep, const outgoing *out)
{
    uint8_t *owned = NULL;
    if (ep->partial == NULL && !out->built && (out->fn->entries & TCI_ENTRY_INIT)) {
        owned = malloc(out->payload_size);
        if (owned == NULL)
            return TC_E_NO_MEMORY;
        tc_status status = fill_payload(ep->hub, out, owned);
        if (status != TC_OK) {
            free(owned);
            return status;
        }
    }
    return tci_large_send(ep, out->fn, out->args, out->args_size, owned, out->payload_size);
}

/* Whether it goes another way than in a frame. */
static bool is_large(tc_ep *ep, const outgoing *out)
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
static tc_status send_in_order(tc_ep *ep, const outgoing *out)
{
    if (tci_large_continues(ep, out->fn, out->args, out->args_size))
        return send_large(ep, out);
    if (ep->partial != NULL && !ep->partial->queued)
        return ep->hub->attention & TCI_RUNNING ? TC_E_AGAIN : TC_E_BUSY;
    tci_send_queued(ep);
    if (ep->partial != NULL || ep->queue != NULL)
        return TC_E_AGAIN;
    if (out->injected != NULL)
        return send_injected_frame(ep, out);
    return is_large(ep, out) ? send_large(ep, out) : send_frame(ep, out);
}

/* --- the calls ----------------------------------------------------------------------- */

static tc_status send_or_queue(tc_ep *ep, outgoing *out)
{
    tc_error error;
    if (!tci_ep_is_open(ep)) {
        if (ep->state >= TCI_EP_CLOSED)
            (void)tci_large_give_up(ep);
        return ep->state < TCI_EP_OPEN ? TC_E_AGAIN : tc_ep_error(ep, NULL);
    }
    if (ep->building)
        return TC_E_BUSY;
    if (ep->tx_state[out->fn->index] == TCI_TX_REFUSED) {
        bool continues = tci_large_continues(ep, out->fn, out->args, out->args_size);
        return !continues || tci_large_give_up(ep) ? TC_E_REFUSED : TC_E_AGAIN;
    }
    tc_status status = measure_payload(out, &error);
    if (status != TC_OK)
        return status;
    status = send_in_order(ep, out);
    TC_TRY(tci_ep_check_credit(ep));
    if (status != TC_E_AGAIN || !(ep->hub->attention & TCI_RUNNING) || out->injected != NULL)
        return status;
    if (tci_large_continues(ep, out->fn, out->args, out->args_size))
        return tci_large_queue(ep);
    return out->payload_size > ep->payload_max ? TC_E_AGAIN : queue_message(ep, out);
}

static __attribute__((noinline)) tc_status send_slowly(tc_ep *ep, tc_ifunc *fn,
                                                       const void *source_args, size_t size)
{
    outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    tci_bell_after_frames(ep); /* for those that tc_send stored before it came here */
    return send_or_queue(ep, &out);
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
        ep->turn_used = true;
        ep->used_next = ep->hub->used;
        ep->hub->used = ep;
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
    outgoing out = {.fn = fn, .args = source_args, .args_size = size, .with_code = true};
    return send_or_queue(ep, &out);
}

tc_status tc_send_injected(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    tc_error error;
    if (!tci_ep_is_open(ep))
        return ep->state < TCI_EP_OPEN ? TC_E_AGAIN : tc_ep_error(ep, NULL);
    TC_TRY(tci_inject_section(fn, ep->peer_target, &out.injected, &out.injected_size, &error));
    return send_or_queue(ep, &out);
}

struct tc_message {
    tc_ifunc *fn; /* held */
    size_t payload_size;
    uint8_t *payload;
};

tc_status tc_message_create(tc_ifunc *fn, const void *source_args, size_t size,
                            tc_message **message_out)
{
    outgoing out = {.fn = fn, .args = source_args, .args_size = size};
    tc_error error;
    TC_TRY(measure_payload(&out, &error));
    tc_message *message = calloc(1, sizeof *message);
    uint8_t *payload = malloc(out.payload_size > 0 ? out.payload_size : 1);
    tc_status status = TC_E_NO_MEMORY;
    if (message != NULL && payload != NULL)
        status = fill_payload(NULL, &out, payload);
    if (status != TC_OK) {
        free(payload);
        free(message);
        return status;
    }
    tci_ifunc_hold(fn);
    *message = (tc_message){fn, out.payload_size, payload};
    *message_out = message;
    return TC_OK;
}

void *tc_message_payload(tc_message *message, size_t *size_out)
{
    *size_out = message->payload_size;
    return message->payload;
}

tc_status tc_message_send(tc_ep *ep, const tc_message *message)
{
    outgoing out = {.fn = message->fn,
                    .args = message->payload,
                    .args_size = message->payload_size,
                    .built = true};
    return send_or_queue(ep, &out);
}

void tc_message_destroy(tc_message *message)
{
    if (message == NULL)
        return;
    tci_ifunc_release(message->fn);
    free(message->payload);
    free(message);
}
