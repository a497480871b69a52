/* Slots: the functions that the numbers in a peer's frames refer to here.
 *
 * A slot goes through these states: never bound; bound to a function that may not be callable
 * yet; callable; evicted (its function's code was removed to free space, and comes again when
 * it is called); refused, until the peer binds it again. */
#ifndef TCI_SLOTS_H
#define TCI_SLOTS_H

#include "core/ep.h"

/* Binds a slot to the function of a code frame, with its bytes at `attached` (NULL: they come
 * outside the ring), and makes it callable. TC_OK: rx.slots[slot] is callable. TC_E_AGAIN: its
 * code is on the way, or being loaded. Otherwise the function does not run here, and the slot
 * is cleared; the caller must refuse it. */
TC_MUST_CHECK tc_status tci_slot_bind(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                                      const tci_code_section *section, tc_error *err);

/* The same for a slot below rx.slot_count that was bound before. TC_E_NOT_FOUND: it was never
 * bound, or was refused. */
TC_MUST_CHECK tc_status tci_slot_ready(tc_ep *ep, uint16_t slot, tc_error *err);

/* Finds or makes the function of a code section, and holds a reference. TC_E_AGAIN: its code is
 * on the way; otherwise it does not run here. For the module holes. */
TC_MUST_CHECK tc_status tci_slot_find_code(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                                           const tci_code_section *section, tc_ifunc **fn_out,
                                           tc_error *err);

/* Reports to the peer, once per binding, why its function does not run here. Its messages are
 * dropped until it binds the slot again. */
void tci_slot_refuse(tc_ep *ep, uint16_t slot, const tc_error *error);

/* Sends status and text to the peer in a control frame about a slot. */
void tci_slot_report(tc_ep *ep, tci_control control, uint16_t slot, const tc_error *error);

/* The peer asks to be notified when the slot, which is bound, is callable. */
void tci_slot_notify(tc_ep *ep, uint16_t slot);

/* Releases everything that the slots of an endpoint hold that is being freed. */
void tci_slots_free(tc_ep *ep);

/* See tci_registry_events. */
void tci_slots_changed(tci_core *core, tc_ifunc *fn);
void tci_slots_evict(tci_core *core, tc_ifunc *fn);

#endif
