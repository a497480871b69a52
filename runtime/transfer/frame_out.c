/* Builds frames in the peer's ring: messages with their code or lead, and whole control and
 * reply frames. */
#include "transfer/frame_out.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "ifunc/code_form.h"
#include "transfer/send_queue.h"

/* --- frames ------------------------------------------------------------------------------ */

/* Returns the bytes of a frame with `code_size` bytes of code behind its payload, if any. */
static size_t frame_bytes(size_t payload_size, size_t code_size)
{
    return code_size == 0 ? TCI_FRAME_HEADER_BYTES + payload_size
                          : tci_frame_code_offset((uint32_t)payload_size) + code_size;
}

bool tci_frame_out_fits(const tc_ep *ep, size_t payload_size, size_t code_size)
{
    const size_t max = ep->tx.payload_max + tci_frame_code_bytes(0, 0);
    return payload_size <= max && code_size <= max &&
           frame_bytes(payload_size, code_size) <= max;
}

/* Turns held space into padding: a part of a reply to no call. That reply never ends, so
 * tci_lost_count leaves it out. A broken ring takes no frame any more. */
static __attribute__((noinline)) void pad(tc_ep *ep)
{
    tci_producer *ring = &ep->tx.ring;
    tci_frame_hold *hold = ep->tx.hold;
    const tci_frame header = {.payload_size = (uint32_t)(hold->bytes - TCI_FRAME_HEADER_BYTES),
                              .kind = TCI_FRAME_REPLY};
    const tci_reply padding = {.call = TCI_REPLY_PADDING, .total = header.payload_size};
    uint8_t *frame = hold->frame;
    TCI_INVARIANT(ring_reserved, frame == tci_producer_next(ring) || ring->broken);
    hold->frame = NULL;
    hold->consumed = ring->consumed;
    atomic_store_explicit(&hold->frozen, ring->consumed_seen, memory_order_relaxed);
    ring->consumed = &hold->frozen;
    ep->tx.hold = NULL;
    if (!ring->broken) {
        tci_reply_encode(&padding, frame + TCI_FRAME_HEADER_BYTES);
        tci_frame_out_commit(ep, frame, hold->bytes, &header);
        ep->tx.control_frames++;
    }
    tci_ep_set_fast(ep);
}

uint8_t *tci_frame_out_begin(tc_ep *ep, tci_frame_kind kind, uint64_t bytes)
{
    tci_producer *ring = &ep->tx.ring;
    if (__builtin_expect(ep->tx.hold != NULL, 0))
        pad(ep);
    tci_sender_commit_coalesced(&ep->tx);
    return tci_producer_reserve(ring, bytes, kind == TCI_FRAME_CONTROL ? ring->reserve : 0);
}

void tci_frame_out_commit(tc_ep *ep, uint8_t *frame, uint64_t bytes, const tci_frame *header)
{
    uint64_t position = ep->tx.ring.tail;
    tci_producer_commit(&ep->tx.ring, frame, bytes, tci_frame_word(header));
    TCI_INVARIANT(ring_reserve, header->kind == TCI_FRAME_CONTROL || ep->tx.ring.broken ||
                                    ep->tx.ring.tail <= ep->tx.ring.limit);
    if (ep->tx.push != NULL) {
        tci_frame_out_push(ep, position, bytes);
        if (header->kind != TCI_FRAME_CONTROL)
            ep->tx.message_end = ep->tx.ring.tail;
    }
    tci_doorbell_after_frames(ep);
}

static void copy(uint8_t *to, tci_span from)
{
    if (from.size > 0)
        memcpy(to, from.bytes, from.size);
}

bool tci_frame_out_put(tc_ep *ep, tci_frame header, tci_span head, tci_span body, tci_span code)
{
    header.payload_size = (uint32_t)(head.size + body.size);
    const size_t bytes = frame_bytes(header.payload_size, code.size);
    uint8_t *frame = tci_frame_out_begin(ep, header.kind, bytes);
    if (frame == NULL)
        return false;
    copy(frame + TCI_FRAME_HEADER_BYTES, head);
    copy(frame + TCI_FRAME_HEADER_BYTES + head.size, body);
    copy(frame + bytes - code.size, code);
    tci_frame_out_commit(ep, frame, bytes, &header);
    return true;
}

/* --- held space -------------------------------------------------------------------------- */

uint8_t *tci_frame_out_hold(tc_ep *ep, tci_frame_hold *hold, uint64_t bytes)
{
    uint8_t *frame = tci_frame_out_begin(ep, TCI_FRAME_REPLY, bytes);
    if (frame == NULL)
        return NULL;
    *hold = (tci_frame_hold){.frame = frame, .bytes = bytes};
    ep->tx.hold = hold;
    tci_ep_set_fast(ep);
    return frame;
}

void tci_frame_out_release(tc_ep *ep, tci_frame_hold *hold)
{
    TCI_INVARIANT(ring_reserved, (ep->tx.hold == hold) == (hold->frame != NULL));
    if (hold->frame == NULL)
        ep->tx.ring.consumed = hold->consumed;
    ep->tx.hold = NULL;
    tci_ep_set_fast(ep);
}

/* --- leads ------------------------------------------------------------------------------- */

/* A lead is padding in front of a payload, for a function that asks for more alignment than
 * frames have by themselves (TC_PAYLOAD_ALIGN). Both sides' rings begin on pages, so a frame's
 * position in the ring determines the length of its lead.
 *
 * A payload that begins a cache line has its header in the line before. Two kinds of payloads
 * arrive sooner without a lead: those that would share the header's line, and those much
 * shorter than their lead. The receiver copies a payload that does not lie as its function
 * wants it. Functions with read-only payloads get no leads, because the receiver copies all
 * their payloads. */

/* Shorter payloads may share a line with their header. */
#define LEAD_PAYLOAD_MIN 49u
/* A lead in a carried frame may take this share (a shift) of the payload's own time. */
#define LEAD_CARRIED_SHIFT 3

/* Returns the longest lead that a message with such a payload may get, which is the additional
 * space that the message needs; 0: it gets no lead. */
static size_t lead_max_of(const tc_ep *ep, const tc_ifunc *fn, size_t payload_size)
{
    if (fn->alignment <= TCI_PAYLOAD_ALIGNMENT_MIN || payload_size < LEAD_PAYLOAD_MIN ||
        fn->payload_readonly)
        return 0;
    const size_t most = fn->alignment - TCI_LEAD_UNIT;
    const size_t worth =
        ep->tx.push != NULL ? payload_size >> LEAD_CARRIED_SHIFT : payload_size;
    const size_t limit = worth > TCI_LEAD_ALWAYS ? worth : TCI_LEAD_ALWAYS;
    const size_t lead = most < limit ? most : limit;
    return payload_size + lead <= ep->tx.payload_max ? lead : 0;
}

/* Writes the lead of a frame that was reserved with lead_max additional bytes, and returns its
 * length; 0 if no lead is needed or it would be longer. */
static uint32_t write_lead(const tc_ep *ep, const tc_ifunc *fn, uint8_t *frame, size_t lead_max)
{
    if (lead_max == 0)
        return 0;
    const uint64_t offset = TCI_RING_DATA_OFFSET + (uint64_t)(frame - ep->tx.ring.ring);
    const uint32_t lead =
        (uint32_t)(0 - (offset + TCI_FRAME_HEADER_BYTES)) & (fn->alignment - 1);
    if (lead == 0 || lead > lead_max)
        return 0;
    tci_frame_lead_encode(lead, frame + TCI_FRAME_HEADER_BYTES);
    return lead;
}

/* --- messages ---------------------------------------------------------------------------- */

/* The fast path of tc_send writes PLAIN payloads without a lead: in a mapped ring these are too
 * short for one. */
static uint8_t bound_state(const tc_ep *ep, const tc_ifunc *fn)
{
    const bool made = (fn->entries & TCI_ENTRY_INIT) != 0;
    if (fn->alignment > TCI_PAYLOAD_ALIGNMENT_MIN && (made || ep->tx.push != NULL))
        return TCI_TX_ALIGNED;
    return made ? TCI_TX_BUILT : TCI_TX_PLAIN;
}

static size_t attached_bytes(const tci_code_form *code)
{
    return code->size - TCI_CODE_SECTION_BYTES + code->signature_size;
}

/* Code that is not to be pushed, or that is too large to share a frame with its payload, is
 * only named in the frame and sent when the peer requests it. */
static bool code_goes_along(const tc_ep *ep, const tci_outgoing *out, const tci_code_form *code,
                            size_t payload_size)
{
    bool known = ep->tx.bindings[out->fn->index] != TCI_TX_UNKNOWN;
    if ((ep->core->options.code_push == 0 || known) && out->kind != TCI_OUT_WITH_CODE)
        return false;
    return tci_frame_out_fits(ep, payload_size, TCI_CODE_SECTION_BYTES + attached_bytes(code));
}

/* Puts the code, or its name, behind the payload. */
static void name_code(const tc_ep *ep, const tci_outgoing *out, const tci_code_form *code,
                      tci_frame *header, tci_span *code_out)
{
    static const uint8_t purpose[] = {
        [TCI_OUT_BIND] = TCI_CODE_BIND_ONLY,
        [TCI_OUT_PREPARE] = TCI_CODE_BIND_ONLY | TCI_CODE_NOTIFY,
    };
    const bool attached = code_goes_along(ep, out, code, header->payload_size);
    header->kind = TCI_FRAME_CODE;
    header->flags |= (uint8_t)((attached ? TCI_CODE_ATTACHED : 0) | purpose[out->kind] |
                               (code->signature_size > 0 ? TCI_CODE_SIGNED : 0));
    *code_out =
        (tci_span){code->bytes, TCI_CODE_SECTION_BYTES + (attached ? attached_bytes(code) : 0)};
}

/* Finds the code to put behind the payload, and sets the header's kind and flags for it. */
static tc_status choose_code(const tc_ep *ep, const tci_outgoing *out, tci_frame *header,
                             tci_span *code_out)
{
    tci_code_form code;
    if (out->kind == TCI_OUT_INJECT) {
        header->kind = TCI_FRAME_INJECT;
        *code_out = out->injected;
        return tci_frame_out_fits(ep, out->payload_size, out->injected.size) ? TC_OK
                                                                             : TC_E_TOO_LARGE;
    }
    if (out->kind != TCI_OUT_WITH_CODE && out->kind != TCI_OUT_PREPARE &&
        ep->tx.bindings[out->fn->index] != TCI_TX_UNKNOWN)
        return TC_OK;
    const tc_status status = tci_code_form_for(out->fn, ep->peer.dictionaries, &code);
    if (status == TC_OK)
        name_code(ep, out, &code, header, code_out);
    return status;
}

/* The consumer polls the cache line of the header. If that line is written before the lines of
 * the code, it goes to the consumer meanwhile and has to come back. So short payloads are
 * written after the code. Longer ones have more lines of their own
 * (docs/decisions/direct-rate.md). */
#define CODE_FIRST_PAYLOAD_MAX 128u

/* Sends a frame whose header has the size with the longest lead. */
static tc_status put_message(tc_ep *ep, const tci_outgoing *out, tci_frame header,
                             tci_span code)
{
    const size_t lead_max = header.payload_size - out->payload_size;
    uint8_t *frame =
        tci_frame_out_begin(ep, header.kind, frame_bytes(header.payload_size, code.size));
    if (frame == NULL)
        return TC_E_AGAIN;
    const uint32_t lead = write_lead(ep, out->fn, frame, lead_max);
    header.payload_size = (uint32_t)(lead + out->payload_size);
    header.flags |= lead > 0 ? TCI_ALIGNED : 0;
    const size_t bytes = frame_bytes(header.payload_size, code.size);
    const bool code_first = header.payload_size <= CODE_FIRST_PAYLOAD_MAX;
    if (code_first)
        copy(frame + bytes - code.size, code);
    const tc_status status = tci_outgoing_fill(ep, out, frame + TCI_FRAME_HEADER_BYTES + lead);
    if (status != TC_OK)
        return status;
    if (!code_first)
        copy(frame + bytes - code.size, code);
    TCI_INVARIANT(ring_reserved, frame == tci_producer_next(&ep->tx.ring));
    if (header.kind == TCI_FRAME_CODE) {
        ep->tx.bindings[out->fn->index] = bound_state(ep, out->fn);
        ep->core->counters[TCI_CODE_SENT]++;
    }
    tci_frame_out_commit(ep, frame, bytes, &header);
    return TC_OK;
}

tc_status tci_frame_out_message(tc_ep *ep, const tci_outgoing *out)
{
    const size_t lead_max =
        out->kind != TCI_OUT_INJECT ? lead_max_of(ep, out->fn, out->payload_size) : 0;
    tci_frame header = {.payload_size = (uint32_t)(lead_max + out->payload_size),
                        .slot = out->fn->index,
                        .kind = TCI_FRAME_CALL,
                        .flags = out->flags};
    tci_span code = {0};
    const tc_status status = choose_code(ep, out, &header, &code);
    return status == TC_OK ? put_message(ep, out, header, code) : status;
}

bool tci_frame_out_try(tc_ep *ep, tci_outgoing *out)
{
    const uint8_t known = ep->tx.bindings[out->fn->index];
    out->payload_size = out->args_size + out->tail.size;
    if (out->payload_size >= ep->tx.frame_limit ||
        ((out->fn->entries & TCI_ENTRY_INIT) && !out->built) || known == TCI_TX_REFUSED ||
        (known == TCI_TX_UNKNOWN && out->kind != TCI_OUT_INJECT))
        return false;
    return tci_frame_out_message(ep, out) == TC_OK;
}

static tc_status put_binding(tc_ep *ep, tc_ifunc *fn, tci_outgoing_kind kind)
{
    const tci_outgoing out = {.fn = fn, .built = true, .kind = kind};
    TC_TRY(tci_frame_out_message(ep, &out));
    ep->tx.part_frames++;
    return TC_OK;
}

tc_status tci_frame_out_binding(tc_ep *ep, tc_ifunc *fn)
{
    return ep->tx.bindings[fn->index] == TCI_TX_UNKNOWN ? put_binding(ep, fn, TCI_OUT_BIND)
                                                        : TC_OK;
}

tc_status tci_frame_out_prepare(tc_ep *ep, tc_ifunc *fn)
{
    if (ep->tx.bindings[fn->index] == TCI_TX_REFUSED)
        return TC_E_REFUSED;
    if (ep->tx.queue != NULL || ep->tx.large != NULL || !tci_ep_takes_messages(ep))
        return TC_E_AGAIN;
    return put_binding(ep, fn, TCI_OUT_PREPARE);
}

/* --- whole frames ------------------------------------------------------------------------ */

bool tci_frame_out_whole(tc_ep *ep, const tci_frame *header, const void *payload)
{
    const tci_span none = {0};
    if (!tci_frame_out_put(ep, *header, (tci_span){payload, header->payload_size}, none, none))
        return false;
    ep->tx.control_frames++;
    return true;
}

void tci_frame_out_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                           size_t payload_size)
{
    const tci_frame header = {.payload_size = (uint32_t)payload_size,
                              .slot = slot,
                              .kind = TCI_FRAME_CONTROL,
                              .flags = (uint8_t)control};
    if (!tci_ep_is_open(ep) || (!ep->tx.building && tci_frame_out_whole(ep, &header, payload)))
        return;
    tci_queued *item = tci_send_queue_make(&header);
    if (item == NULL) {
        (void)tci_ep_fail_with(ep, TC_E_NO_MEMORY, "control frame: out of memory");
        return;
    }
    if (payload_size > 0)
        memcpy(item->payload, payload, payload_size);
    tci_send_queue_prepend(ep, item);
}

void tci_frame_out_end_turns(tci_core *core)
{
    tc_ep *next = core->used;
    core->used = NULL;
    while (next != NULL) {
        tc_ep *ep = next;
        next = ep->tx.used_next;
        ep->tx.used = false;
        /* Commits only if there are calls: reading the ring's tail right after a frame was
         * committed would wait for that store. */
        if (tci_sender_gathers(&ep->tx))
            tci_sender_commit_coalesced(&ep->tx);
        tci_doorbell_after_frames(ep);
        if (ep->tx.push != NULL && !ep->tx.delivery->ops->turn(ep->tx.delivery))
            tci_ep_note_use(ep);
    }
}

void tci_frame_out_retry(tc_ep *ep, const tc_ifunc *fn)
{
    const size_t from = fn != NULL ? fn->index : 0;
    const size_t to = fn != NULL ? from + 1 : ep->core->registry.capacity;
    for (size_t i = from; i < to && ep->tx.bindings != NULL; i++) {
        if (ep->tx.bindings[i] == TCI_TX_REFUSED)
            ep->tx.bindings[i] = TCI_TX_UNKNOWN;
    }
}
