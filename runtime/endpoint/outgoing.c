#include "outgoing.h"

tc_status tci_outgoing_measure(tci_outgoing *out, tc_error *err)
{
    if (out->built || !(out->fn->entries & TCI_ENTRY_INIT)) {
        out->payload_size = out->args_size;
        return TC_OK;
    }
    TC_TRY(tci_ifunc_load(out->fn, err));
    out->payload_size = out->fn->entry.max_size((void *)(uintptr_t)out->args, out->args_size);
    return TC_OK;
}

tc_status tci_outgoing_fill(tci_hub *hub, const tci_outgoing *out, uint8_t *payload)
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

/* The user's function writes into the reserved frame itself. A tc_send to the same endpoint
 * from inside it would write there too, so it finds `building` set. */
tc_status tci_outgoing_fill_frame(tc_ep *ep, const tci_outgoing *out, uint8_t *payload)
{
    ep->building = true;
    tci_ep_set_fast(ep);
    tc_status status = tci_outgoing_fill(ep->hub, out, payload);
    ep->building = false;
    tci_ep_set_fast(ep);
    return status;
}
