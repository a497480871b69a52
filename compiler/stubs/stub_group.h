/* The caller of a function at every rank of a group, in C. */
#ifndef TCI_STUB_GROUP_H
#define TCI_STUB_GROUP_H

#include "stub_writer.h"

void tci_stub_group_write(const tci_stub_writer *w);

#endif
