#include "transfer/inject_send.h"

#include "core/ep_state.h"
#include "transfer/frame_out.h"
#include "transfer/staging.h"

/* Where the segment is worth it, and the payload needs no making. */
static bool can_stage(tc_ep *ep, const tci_outgoing *out)
{
    bool made = !out->built && (out->fn->entries & TCI_ENTRY_INIT) != 0;
    if (out->payload_size < TCI_STAGING_PAYLOAD_MIN || ep->tx.push != NULL || made)
        return false;
    tci_staging_offer(ep);
    return tci_staging_is_open(ep) &&
           tci_staging_part(ep, out->payload_size, out->payload_size) == out->payload_size;
}

static tc_status send_injected_staged(tc_ep *ep, const tci_outgoing *out)
{
    const tci_frame header = {.payload_size = TCI_STAGED_BYTES,
                              .slot = out->fn->index,
                              .kind = TCI_FRAME_INJECT,
                              .flags = TCI_INJECT_STAGED};
    tci_staged staged = {.fragment = {.total = out->payload_size}, .size = out->payload_size};
    const size_t offset = tci_frame_code_offset(TCI_STAGED_BYTES);
    uint8_t *to = tci_staging_reserve(ep, out->payload_size, &staged.place);
    uint8_t *frame =
        to != NULL ? tci_producer_reserve(&ep->tx.ring, offset + out->injected_size) : NULL;
    if (frame == NULL)
        return TC_E_AGAIN;
    tci_staging_copy(ep, to, out->args, out->payload_size);
    tci_staged_encode(&staged, frame + TCI_FRAME_HEADER_BYTES);
    memcpy(frame + offset, out->injected, out->injected_size);
    tci_frame_out_commit(ep, frame, offset + out->injected_size, &header);
    tci_staging_commit(ep, out->payload_size);
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
    if (can_stage(ep, out))
        return send_injected_staged(ep, out);
    uint8_t *frame = tci_producer_reserve(&ep->tx.ring, bytes);
    if (frame == NULL)
        return TC_E_AGAIN;
    TC_TRY(tci_frame_out_fill(ep, out, frame + TCI_FRAME_HEADER_BYTES));
    memcpy(frame + offset, out->injected, out->injected_size);
    tci_frame_out_commit(ep, frame, bytes, &header);
    return TC_OK;
}
