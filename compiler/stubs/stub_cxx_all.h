/* The callers in C++ of a function at every rank of a group. */
#ifndef TCI_STUB_CXX_ALL_H
#define TCI_STUB_CXX_ALL_H

#include "stub_model.h"

#include <stdio.h>

/* Prints try_F_all and F_all for a function without arrays of bool. */
void tci_stub_cxx_all_write(const tci_stub_function *f, FILE *out);

#endif
