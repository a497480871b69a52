#include "transfer/inject_send.h"

#include "core/ep_state.h"
#include "transfer/frame_out.h"
#include "transfer/landing.h"

/* Where the segment is worth it, and the payload needs no making. */
static bool can_land(tc_ep *ep, const tci_outgoing *out)
{
    bool made = !out->built && (out->fn->entries & TCI_ENTRY_INIT) != 0;
    if (out->payload_size < TCI_LANDING_PAYLOAD_MIN || ep->tx.push != NULL || made)
        return false;
    tci_landing_offer(ep);
    return tci_landing_is_open(ep) &&
           tci_landing_part(ep, out->payload_size, out->payload_size) == out->payload_size;
}

static tc_status send_injected_landed(tc_ep *ep, const tci_outgoing *out)
{
    const tci_frame header = {.payload_size = TCI_LANDED_BYTES,
                              .slot = out->fn->index,
                              .kind = TCI_FRAME_INJECT,
                              .flags = TCI_INJECT_LANDED};
    tci_landed landed = {.piece = {.total = out->payload_size}, .size = out->payload_size};
    const size_t offset = tci_frame_code_offset(TCI_LANDED_BYTES);
    uint8_t *to = tci_landing_reserve(ep, out->payload_size, &landed.place);
    uint8_t *frame =
        to != NULL ? tci_producer_reserve(&ep->tx.ring, offset + out->injected_size) : NULL;
    if (frame == NULL)
        return TC_E_AGAIN;
    tci_landing_copy(ep, to, out->args, out->payload_size);
    tci_landed_encode(&landed, frame + TCI_FRAME_HEADER_BYTES);
    memcpy(frame + offset, out->injected, out->injected_size);
    tci_frame_out_commit(ep, frame, offset + out->injected_size, &header);
    tci_landing_commit(ep, out->payload_size);
    ep->tx.pushed_bytes += out->payload_size;
    return TC_OK;
}

tc_status tci_inject_send(tc_ep *ep, const tci_outgoing *out)
{
    const tci_frame header = {.payload_size = (uint32_t)out->payload_size,
                              .slot = out->fn->index,
                              .kind = TCI_FRAME_INJECT};
    size_t offset = tci_frame_code_offset(header.payload_size);
    size_t bytes = offset + out->injected_size;
    if (bytes > ep->tx.payload_max + tci_frame_code_bytes(0, 0))
        return TC_E_TOO_LARGE;
    tci_sender_commit_coalesced(&ep->tx);
    if (can_land(ep, out))
        return send_injected_landed(ep, out);
    uint8_t *frame = tci_producer_reserve(&ep->tx.ring, bytes);
    if (frame == NULL)
        return TC_E_AGAIN;
    TC_TRY(tci_frame_out_fill(ep, out, frame + TCI_FRAME_HEADER_BYTES));
    memcpy(frame + offset, out->injected, out->injected_size);
    tci_frame_out_commit(ep, frame, bytes, &header);
    return TC_OK;
}
