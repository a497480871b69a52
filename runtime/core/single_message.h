/* A message of which one at a time is under way, whose newest form is all that counts: credit, a
 * WAKEUP. What a peer that does not read is owed of these takes no more memory than that. */
#ifndef TCI_SINGLE_MESSAGE_H
#define TCI_SINGLE_MESSAGE_H

#include "delivery/link.h"

#define TCI_SINGLE_MESSAGE_MAX 24u

typedef struct tci_single_message tci_single_message;

/* Whether one is under way; NULL: none ever was. */
bool tci_single_message_is_leaving(const tci_single_message *message);

/* Sends a copy of `size` bytes, at most TCI_SINGLE_MESSAGE_MAX, when none is under way; *message
 * is made when it is NULL. TC_E_AGAIN: one is. Statuses of tci_link_send. */
TC_MUST_CHECK tc_status tci_single_message_send(tci_single_message **message, tci_link *link,
                                                tci_am kind, const void *bytes, size_t size);

/* After the link is closed. */
void tci_single_message_free(tci_single_message *message);

#endif
