/* Writes NAME_entry.c: the entry that checks a message and calls the user's function. */
#ifndef TCI_STUB_ENTRY_H
#define TCI_STUB_ENTRY_H

#include "stub_model.h"

#include <stdio.h>

void tci_stub_entry_write(const tci_stub_header *header, const tci_stub_function *function,
                          FILE *out);

#endif
