/* The functions of this library that shipped code may call, by name. */
#ifndef TCI_HOST_SYMBOLS_H
#define TCI_HOST_SYMBOLS_H

#include "engine/symbols.h"

const tci_host_symbol *tci_host_symbols_all(size_t *count_out);

#endif
