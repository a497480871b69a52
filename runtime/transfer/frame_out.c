/* Builds frames in the peer's ring: messages with their code or lead, and whole control and
 * reply frames. */
#include "transfer/frame_out.h"

#include "core/ep_state.h"
#include "ifunc/code_form.h"
#include "transfer/lead.h"
#include "transfer/send_queue.h"

/* The user's function writes into the reserved frame itself. A tc_send to the same endpoint
 * from inside it would write there too, so `building` is set meanwhile. */
tc_status tci_frame_out_fill(tc_ep *ep, const tci_outgoing *out, uint8_t *payload)
{
    ep->tx.building = true;
    tci_ep_set_fast(ep);
    tc_status status = tci_outgoing_fill(ep->core, out, payload);
    ep->tx.building = false;
    tci_ep_set_fast(ep);
    return status;
}

/* --- messages ---------------------------------------------------------------------------- */

static bool needs_code(const tc_ep *ep, const tci_outgoing *out)
{
    return out->with_code || out->notify || ep->tx.bindings[out->fn->index] == TCI_TX_UNKNOWN;
}

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
    if ((ep->core->options.code_push == 0 || known) && !out->with_code)
        return false;
    size_t attached = attached_bytes(code);
    return tci_frame_code_bytes((uint32_t)payload_size, attached) <=
           ep->tx.payload_max + tci_frame_code_bytes(0, 0);
}

/* The consumer polls the cache line of the header. If that line is written before the lines of
 * the code, it goes to the consumer meanwhile and has to come back. So short payloads are
 * written after the code. Longer ones have more lines of their own
 * (docs/decisions/direct-rate.md). */
#define CODE_FIRST_PAYLOAD_MAX 128u

static void write_code_section(const tci_frame *header, const tci_code_form *code,
                               uint8_t *frame)
{
    const bool attached = (header->flags & TCI_CODE_ATTACHED) != 0;
    size_t offset = tci_frame_code_offset(header->payload_size);
    memcpy(frame + offset, code->bytes,
           TCI_CODE_SECTION_BYTES + (attached ? attached_bytes(code) : 0));
}

/* Returns the header's flags about the code, for a peer that needs it. */
static uint8_t code_flags(const tc_ep *ep, const tci_outgoing *out, const tci_code_form *code,
                          size_t payload_size)
{
    bool attached = code_goes_along(ep, out, code, payload_size);
    return (uint8_t)((attached ? TCI_CODE_ATTACHED : 0) |
                     (out->bind_only ? TCI_CODE_BIND_ONLY : 0) |
                     (out->notify ? TCI_CODE_NOTIFY : 0) |
                     (code->signature_size > 0 ? TCI_CODE_SIGNED : 0));
}

static size_t frame_bytes(const tci_frame *header, const tci_code_form *code)
{
    if (header->kind != TCI_FRAME_CODE)
        return TCI_FRAME_HEADER_BYTES + header->payload_size;
    return tci_frame_code_bytes(header->payload_size,
                                header->flags & TCI_CODE_ATTACHED ? attached_bytes(code) : 0);
}

tc_status tci_frame_out_message(tc_ep *ep, const tci_outgoing *out)
{
    const size_t lead_max = out->bind_only ? 0 : tci_lead_max(ep, out->fn, out->payload_size);
    tci_frame header = {.payload_size = (uint32_t)(lead_max + out->payload_size),
                        .slot = out->fn->index,
                        .kind = TCI_FRAME_CALL,
                        .flags = out->routed ? TCI_ROUTED : 0};
    bool with_code = needs_code(ep, out);
    tci_code_form code = {0};
    if (with_code) {
        TC_TRY(tci_code_form_for(out->fn, ep->peer.dictionaries, &code));
        header.kind = TCI_FRAME_CODE;
        header.flags |= code_flags(ep, out, &code, header.payload_size);
    }
    tci_sender_commit_coalesced(&ep->tx);
    uint8_t *frame = tci_producer_reserve(&ep->tx.ring, frame_bytes(&header, &code));
    if (frame == NULL)
        return TC_E_AGAIN;
    const uint32_t lead = tci_lead_write(ep, out->fn, frame, lead_max);
    header.payload_size = (uint32_t)(lead + out->payload_size);
    header.flags |= lead > 0 ? TCI_ALIGNED : 0;
    const bool code_first = with_code && header.payload_size <= CODE_FIRST_PAYLOAD_MAX;
    if (code_first)
        write_code_section(&header, &code, frame);
    TC_TRY(tci_frame_out_fill(ep, out, frame + TCI_FRAME_HEADER_BYTES + lead));
    if (with_code && !code_first)
        write_code_section(&header, &code, frame);
    if (with_code) {
        ep->tx.bindings[out->fn->index] = bound_state(ep, out->fn);
        ep->core->counters[TCI_CODE_SENT]++;
    }
    tci_frame_out_commit(ep, frame, frame_bytes(&header, &code), &header);
    return TC_OK;
}

tc_status tci_frame_out_binding(tc_ep *ep, tc_ifunc *fn)
{
    const tci_outgoing out = {.fn = fn, .built = true, .bind_only = true};
    if (!needs_code(ep, &out))
        return TC_OK;
    TC_TRY(tci_frame_out_message(ep, &out));
    ep->tx.part_frames++;
    return TC_OK;
}

tc_status tci_frame_out_prepare(tc_ep *ep, tc_ifunc *fn)
{
    const tci_outgoing out = {.fn = fn, .built = true, .bind_only = true, .notify = true};
    if (ep->tx.bindings[fn->index] == TCI_TX_REFUSED)
        return TC_E_REFUSED;
    if (ep->tx.queue != NULL || ep->tx.large != NULL || !tci_ep_takes_messages(ep))
        return TC_E_AGAIN;
    TC_TRY(tci_frame_out_message(ep, &out));
    ep->tx.part_frames++;
    return TC_OK;
}

/* --- whole frames ------------------------------------------------------------------------ */

bool tci_frame_out_whole(tc_ep *ep, const tci_frame *header, const void *payload)
{
    uint64_t bytes = TCI_FRAME_HEADER_BYTES + header->payload_size;
    tci_sender_commit_coalesced(&ep->tx);
    uint8_t *frame = header->kind == TCI_FRAME_CONTROL
                         ? tci_producer_reserve_control(&ep->tx.ring, bytes)
                         : tci_producer_reserve(&ep->tx.ring, bytes);
    if (frame == NULL)
        return false;
    if (header->payload_size > 0)
        memcpy(frame + TCI_FRAME_HEADER_BYTES, payload, header->payload_size);
    tci_frame_out_commit(ep, frame, bytes, header);
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
    if (!tci_ep_is_open(ep) || tci_frame_out_whole(ep, &header, payload))
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
        if (ep->tx.coalesced_count > 0)
            tci_sender_commit_coalesced(&ep->tx);
        tci_doorbell_after_frames(ep);
        if (ep->tx.push != NULL && !ep->tx.delivery->ops->turn(ep->tx.delivery))
            tci_ep_note_use(ep);
    }
}

void tci_frame_out_retry(tc_ep *ep, const tc_ifunc *fn)
{
    const size_t from = fn != NULL ? fn->index : 0;
    const size_t to = fn != NULL ? from + 1 : ep->core->options.functions_max;
    for (size_t i = from; i < to && ep->tx.bindings != NULL; i++) {
        if (ep->tx.bindings[i] == TCI_TX_REFUSED)
            ep->tx.bindings[i] = TCI_TX_UNKNOWN;
    }
}
