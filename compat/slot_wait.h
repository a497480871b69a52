/* Slots that hold something, but no message that is all there: how long, and what is said of
 * it. Per thread, of the slot that was looked at last. */
#ifndef TCI_SLOT_WAIT_H
#define TCI_SLOT_WAIT_H

#include <stdint.h>
#include <ucp/api/ucp.h>

/* Memory before its first message, or what a program wrote there: nothing is changed. After some
 * seconds a message that begins elsewhere in the slot is reported once. UCS_ERR_NO_MESSAGE. */
ucs_status_t tci_slot_wait_for_message(const void *slot, uint64_t word);

/* A part that stays a part is damage; but it is not taken away, in case the rest comes.
 * Progresses the worker, which may be NULL. UCS_ERR_NO_MESSAGE, and every few seconds
 * UCS_ERR_TIMED_OUT. */
ucs_status_t tci_slot_wait_for_rest(const void *slot, uint64_t word, ucp_worker_h worker);

/* The message was all there: the next one in this slot may well have the same word. */
void tci_slot_wait_end(const void *slot);

#endif
