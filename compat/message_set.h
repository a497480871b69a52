/* The messages that this process has made and not freed, so that whatever a program gives to
 * free is either one of them or left alone. */
#ifndef TCI_MESSAGE_SET_H
#define TCI_MESSAGE_SET_H

#include "ifunc_message.h"

#include <stdbool.h>

/* Any thread, as below. */
void tci_message_set_add(tci_ifunc_message *message);
/* The message with that frame, which is in the set no longer; NULL: there is none. The frame is
 * compared, never read. */
tci_ifunc_message *tci_message_set_take(const void *frame);

#endif
