#include "dispatch/payload_view.h"

#include "transfer/payload_in.h"

static bool is_within(uintptr_t address, const uint8_t *begin, size_t bytes)
{
    return address - (uintptr_t)begin < bytes;
}

bool tci_payload_view_was_asked(const tc_ep *ep, const void *address)
{
    return tci_landing_holds(&ep->core->guarded, (uintptr_t)address);
}

bool tci_payload_view_holds(const tc_ep *ep, const void *address)
{
    const uintptr_t at = (uintptr_t)address;
    const tci_receiver *rx = &ep->rx;
    return ep->core->options.payload == TCI_PAYLOAD_READONLY &&
           (is_within(at, rx->ring.ring, rx->ring.mask + 1) ||
            is_within(at, rx->staged.base, rx->staged.bytes) ||
            tci_landing_holds(&rx->assembly.landing, at) ||
            tci_landing_holds(&ep->core->copied, at) || tci_payload_in_holds(ep, at));
}
