/* HEADER_calls.jl: callers in Julia of a header's remote functions. */
#ifndef TCI_STUB_JULIA_H
#define TCI_STUB_JULIA_H

#include "stub_model.h"

#include <stdio.h>

void tci_stub_julia_write(const tci_stub_header *header, FILE *out);

#endif
