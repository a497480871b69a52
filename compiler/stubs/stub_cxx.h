/* Writes HEADER_calls.hpp: callers in C++17, over those in C. */
#ifndef TCI_STUB_CXX_H
#define TCI_STUB_CXX_H

#include "stub_model.h"

#include <stdio.h>

/* Prints the statements that refuse arrays of one count that differ in size, and texts with a
 * zero, and define tc_I, the number of elements, for each count I that arrays have.
 *
 *   of_sent  only of arrays that are sent; the others are no parameters */
void tci_stub_cxx_checks(const tci_stub_function *f, bool of_sent, FILE *out);

void tci_stub_cxx_write(const tci_stub_header *header, FILE *out);

#endif
