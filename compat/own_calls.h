/* The calls of this API, for functions that use it themselves. */
#ifndef TCI_OWN_CALLS_H
#define TCI_OWN_CALLS_H

#include <tc/loader.h>

/* If a program loads this library privately (dlopen), the calls are in no symbol table that
 * shipped code is linked with. */
const tc_symbol *tci_own_calls(size_t *count_out);

#endif
