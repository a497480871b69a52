/* Slots that hold data but no complete message: measures for how long, and reports it. Kept per
 * thread, for the slot that was polled last. */
#ifndef TCI_SLOT_WAIT_H
#define TCI_SLOT_WAIT_H

#include <stdint.h>
#include <ucp/api/ucp.h>

/* The slot has memory before its first message, or data that a program wrote there: nothing is
 * changed. If a message begins elsewhere in the slot, this is reported once after some seconds.
 * Returns UCS_ERR_NO_MESSAGE. */
ucs_status_t tci_slot_wait_for_message(const void *slot, uint64_t word);

/* A message that stays incomplete is damaged; but it is not removed, in case the rest comes.
 * Progresses the worker, which may be NULL. Returns UCS_ERR_NO_MESSAGE, and every few seconds
 * UCS_ERR_TIMED_OUT. */
ucs_status_t tci_slot_wait_for_rest(const void *slot, uint64_t word, ucp_worker_h worker);

/* Ends the wait, as the message is complete: the next one in this slot may have the same
 * word. */
void tci_slot_wait_end(const void *slot);

#endif
