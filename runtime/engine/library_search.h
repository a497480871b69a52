/* Looks symbols up in the libraries of one .deps list that have come by messages. A symbol may
 * state a prototype behind its name, "area(f64)->f64"; so may the library that exports it
 * (docs/decisions/typed-calls.md). */
#ifndef TCI_LIBRARY_SEARCH_H
#define TCI_LIBRARY_SEARCH_H

#include "engine/library_set.h"

/* A symbol as code names it. */
typedef struct tci_symbol_words {
    const char *name;
    const char *prototype;             /* or NULL: none is stated */
    char copy[TCI_ARCHIVE_SYMBOL_MAX]; /* of the name in front of a prototype */
} tci_symbol_words;

/* The reason for which a symbol that is there was not taken. */
typedef struct tci_library_clash {
    tc_status status; /* TC_E_UNRESOLVED or TC_E_VERSION; TC_OK: there was none */
    char text[700];
} tci_library_clash;

/* Splits a symbol. `words` points to it, or to itself. */
void tci_library_search_split(tci_symbol_words *words, const char *symbol);

/* Returns the library that defines a symbol, and its address, or NULL. A symbol that two of
 * them define, and one of a prototype that the library's does not agree with, gives no address,
 * and is written to `clash`, if that is not NULL. */
const tci_library *tci_library_search(tci_library *const *libraries, size_t count,
                                      const tci_symbol_words *symbol, void **address_out,
                                      tci_library_clash *clash);

#endif
