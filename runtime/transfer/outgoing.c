/* Measures and writes the payload of a message, with its tail behind it. */
#include "transfer/outgoing.h"

#include "core/ep_state.h"
#include "ifunc/holes_ops.h"
#include "ifunc/ifunc_load.h"
#include "transfer/frame_copy.h"

#include <stdlib.h>

tc_status tci_outgoing_measure(tci_outgoing *out, tc_error *err)
{
    tc_status status = TC_OK;
    if (out->fn->unfilled)
        return out->fn->registry->holes->refuse(out->fn, err);
    out->made = (out->fn->entries & TCI_ENTRY_INIT) != 0 && !out->built;
    out->payload_size = out->args_size;
    if (out->made)
        status = tci_ifunc_load_max_size(out->fn, out->args, out->args_size, &out->payload_size,
                                         err);
    out->payload_size += out->tail.size;
    return status;
}

/* aligned_alloc takes multiples of the alignment, a power of two. */
static uint8_t *allocate(size_t size, size_t alignment)
{
    return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

/* NAME_payload_init gets memory on which its function could run. If the message goes elsewhere,
 * to a frame without a lead or to the queue, its payload is copied there. */
static int make_payload(const tci_outgoing *out, uint8_t *payload, size_t payload_size)
{
    const size_t alignment = out->fn->alignment;
    void *args = (void *)(uintptr_t)out->args;
    if (((uintptr_t)payload & (alignment - 1)) == 0)
        return out->fn->entry.init(payload, payload_size, args, out->args_size);
    uint8_t *elsewhere = allocate(payload_size, alignment);
    if (elsewhere == NULL)
        return -1;
    int result = out->fn->entry.init(elsewhere, payload_size, args, out->args_size);
    memcpy(payload, elsewhere, payload_size);
    free(elsewhere);
    return result;
}

static void gather(const tci_outgoing *out, uint8_t *payload)
{
    for (size_t i = 0; i < out->part_count; i++) {
        memcpy(payload, out->parts[i].iov_base, out->parts[i].iov_len);
        payload += out->parts[i].iov_len;
    }
}

/* The function may send to another endpoint, perhaps a payload that is made, too. One to the
 * same endpoint would be written where this one's payload is, or overtake it. */
static tc_status make_alone(tc_ep *ep, const tci_outgoing *out, uint8_t *payload,
                            size_t payload_size)
{
    if (ep == NULL)
        return make_payload(out, payload, payload_size) == 0 ? TC_OK : TC_E_PAYLOAD;
    const unsigned outer = tci_pending_enter(&ep->core->pending, TCI_BUILDING);
    ep->tx.building = true;
    tci_ep_set_fast(ep);
    int result = make_payload(out, payload, payload_size);
    ep->tx.building = false;
    tci_ep_set_fast(ep);
    tci_pending_leave(&ep->core->pending, TCI_BUILDING, outer);
    return result == 0 ? TC_OK : TC_E_PAYLOAD;
}

tc_status tci_outgoing_fill(tc_ep *ep, const tci_outgoing *out, uint8_t *payload)
{
    const size_t own_size = out->payload_size - out->tail.size;
    tc_status status = TC_OK;
    if (out->tail.size > 0)
        memcpy(payload + own_size, out->tail.bytes, out->tail.size);
    if (out->parts != NULL)
        gather(out, payload);
    else if (out->made)
        status = make_alone(ep, out, payload, own_size);
    else if (ep != NULL)
        tci_frame_copy(ep, payload, out->args, out->args_size);
    else if (out->args_size > 0)
        memcpy(payload, out->args, out->args_size);
    return status;
}

tc_status tci_outgoing_copy(tc_ep *ep, const tci_outgoing *out, uint8_t **payload_out)
{
    *payload_out = allocate(out->payload_size, out->fn->alignment);
    if (*payload_out == NULL)
        return TC_E_NO_MEMORY;
    const tc_status status = tci_outgoing_fill(ep, out, *payload_out);
    if (status != TC_OK)
        free(*payload_out);
    return status;
}
