/* The messages that this process has made and not freed, so that a frame that a program frees
 * is either one of them or ignored. */
#ifndef TCI_MESSAGE_SET_H
#define TCI_MESSAGE_SET_H

#include "ifunc_message.h"

#include <stdbool.h>

/* For any thread, as below. */
void tci_message_set_add(tci_ifunc_message *message);
/* Removes the message with that frame from the set and returns it; NULL if there is none. The
 * frame is compared, never read. */
tci_ifunc_message *tci_message_set_take(const void *frame);

#endif
