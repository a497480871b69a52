/* Writes HEADER_calls.hpp: callers in C++17, over those in C. */
#ifndef TCI_STUB_CXX_H
#define TCI_STUB_CXX_H

#include "stub_model.h"

#include <stdio.h>

void tci_stub_cxx_write(const tci_stub_header *header, FILE *out);

#endif
