/* HEADER_calls.rs: callers in Rust of a header's remote functions. */
#ifndef TCI_STUB_RUST_H
#define TCI_STUB_RUST_H

#include "stub_model.h"

#include <stdio.h>

void tci_stub_rust_write(const tci_stub_header *header, FILE *out);

#endif
