/* A message with at most one instance under way, where only the newest counts: credit, a
 * WAKEUP. So such messages to a peer that does not read take no more memory than one. */
#ifndef TCI_SINGLE_MESSAGE_H
#define TCI_SINGLE_MESSAGE_H

#include "delivery/link.h"

#define TCI_SINGLE_MESSAGE_MAX 24u

typedef struct tci_single_message tci_single_message;

/* Returns whether one is under way. NULL is allowed: it was never sent. */
bool tci_single_message_is_leaving(const tci_single_message *message);

/* Sends a copy of `size` bytes, at most TCI_SINGLE_MESSAGE_MAX. Makes *message when it is NULL.
 * TC_E_AGAIN: one is still under way, or there is no memory now. Statuses of tci_link_send. */
TC_MUST_CHECK tc_status tci_single_message_send(tci_single_message **message, tci_link *link,
                                                tci_am kind, const void *bytes, size_t size);

/* Called after the link is closed. */
void tci_single_message_free(tci_single_message *message);

#endif
