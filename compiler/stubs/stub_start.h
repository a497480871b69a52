/* Writes the callers that do not block: F_start and F_ended. */
#ifndef TCI_STUB_START_H
#define TCI_STUB_START_H

#include "stub_writer.h"

void tci_stub_start_write(const tci_stub_writer *w);

#endif
