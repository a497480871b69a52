/* Writes F_message_, the function that lays a message out. */
#ifndef TCI_STUB_MESSAGE_H
#define TCI_STUB_MESSAGE_H

#include "stub_writer.h"

void tci_stub_message_write(const tci_stub_writer *w);

#endif
