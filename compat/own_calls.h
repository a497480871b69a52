/* This API, for functions that call it themselves. */
#ifndef TCI_OWN_CALLS_H
#define TCI_OWN_CALLS_H

#include <tc/loader.h>

/* Whoever loaded this library privately (dlopen) has it in no symbol table that shipped code
 * is linked with. */
const tc_symbol *tci_own_calls(size_t *count_out);

#endif
