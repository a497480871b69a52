/* Writes F_message_, the function that lays a message out. */
#ifndef TCI_STUB_MESSAGE_H
#define TCI_STUB_MESSAGE_H

#include "stub_writer.h"

void tci_stub_message_write(const tci_stub_writer *w);

/* Prints the statements that make the message.
 *
 *   failure  the expression to return when there is no memory for it */
void tci_stub_message_make(const tci_stub_writer *w, const char *failure);
void tci_stub_message_release(const tci_stub_writer *w);

#endif
