/* A frame with a filled archive waits at the head of its ring, as any frame does while its code
 * is on the way, and for up to two codes:
 *
 *   filled archive (with the frame, or by NEED) -> its code is here: filled
 *                                               -> it is not: NEED of the code, then again
 *
 * Where the archive came by NEED it is asked for once more behind the code, as one request is
 * under way at a time. The code needs no slot: the function that is filled holds it. Both pass
 * the same checks as any code of the peer's: quotas, trust, sizes. */
#include "modules/holes/code_wait.h"

#include "dispatch/slots.h"
#include "modules/holes/filled.h"

/* Asks for the code that the filled archive named. Its signature is announced with it. */
static tc_status ask_for_code(tc_ep *ep, uint16_t slot, const tci_code_section *section,
                              tc_error *err)
{
    tci_holes *holes = tci_filled_state(&ep->core->registry);
    tci_code_section wanted = holes->missing;
    tc_ifunc *code;
    wanted.signature_size = section->signature_size;
    holes->missing = (tci_code_section){.archive_size = 0};
    tc_status status = tci_slot_find_code(ep, slot, NULL, &wanted, &code, err);
    if (status == TC_OK) /* cannot be: it is missing */
        tci_registry_release(code);
    ep->rx.incoming.for_filled = ep->rx.incoming.wanted;
    return status == TC_OK ? TC_E_AGAIN : status;
}

static tc_status find(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                      const tci_code_section *section, tc_ifunc **fn_out, tc_error *err)
{
    tci_holes *holes = tci_filled_state(&ep->core->registry);
    holes->missing = (tci_code_section){.archive_size = 0};
    tc_status status = tci_slot_find_code(ep, slot, attached, section, fn_out, err);
    return status == TC_E_ABSENT && holes->missing.archive_size > 0
               ? ask_for_code(ep, slot, section, err)
               : status;
}

tc_status tci_code_wait_find(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                             const tci_code_section *section, tc_ifunc **fn_out, tc_error *err)
{
    if (!ep->rx.incoming.wanted || !ep->rx.incoming.for_filled)
        return find(ep, slot, attached, section, fn_out, err);
    const tci_code_section wanted = ep->rx.incoming.section;
    tc_ifunc *code;
    TC_TRY(tci_slot_find_code(ep, slot, NULL, &wanted, &code, err));
    tc_status status = find(ep, slot, attached, section, fn_out, err);
    tci_registry_release(code);
    return status;
}
