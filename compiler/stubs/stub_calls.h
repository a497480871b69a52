/* Writes HEADER_calls.h: callers in C, which C++ reads, too. */
#ifndef TCI_STUB_CALLS_H
#define TCI_STUB_CALLS_H

#include "stub_model.h"

#include <stdio.h>

void tci_stub_calls_write(const tci_stub_header *header, FILE *out);

#endif
