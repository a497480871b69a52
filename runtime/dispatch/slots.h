/* Slots: what the numbers in a peer's frames mean here.
 *
 * A slot goes through these states: never bound; bound to a function, which may still be on its
 * way to being callable; callable; evicted (its function's code went to make room, and comes
 * again when it is called); refused, until the peer binds it again. */
#ifndef TCI_SLOTS_H
#define TCI_SLOTS_H

#include "core/ep.h"

/* Binds a slot to the function of a code frame, whose bytes are at `attached` (NULL: they come
 * outside the ring), and makes it callable. TC_OK: rx.slots[slot] is. TC_E_AGAIN: its code
 * is on the way, or being loaded. Else the function does not run here, and the slot is cleared;
 * refuse it. */
TC_MUST_CHECK tc_status tci_slot_bind(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                                      const tci_code_section *section, tc_error *err);

/* The same for a slot below rx.slot_count that was bound before. TC_E_NOT_FOUND: it never was,
 * or was refused. */
TC_MUST_CHECK tc_status tci_slot_ready(tc_ep *ep, uint16_t slot, tc_error *err);

/* Reports to the peer, once per binding, why its function does not run here. Its messages are
 * dropped until it binds the slot again. */
void tci_slot_refuse(tc_ep *ep, uint16_t slot, const tc_error *error);

/* Status and text in a control frame about a slot. */
void tci_slot_report(tc_ep *ep, tci_control control, uint16_t slot, const tc_error *error);

/* The peer wants to know when the slot, which is bound, is callable. */
void tci_slot_notify(tc_ep *ep, uint16_t slot);

/* Lets go of what all slots hold, of an endpoint that is being freed. */
void tci_slots_free(tc_ep *ep);

/* See tci_registry_events. */
void tci_slots_changed(tci_core *core, tc_ifunc *fn);
void tci_slots_evict(tci_core *core, tc_ifunc *fn);

#endif
