/* HEADER_calls.py: callers in Python of a header's remote functions. */
#ifndef TCI_STUB_PYTHON_H
#define TCI_STUB_PYTHON_H

#include "stub_model.h"

#include <stdio.h>

void tci_stub_python_write(const tci_stub_header *header, FILE *out);

#endif
