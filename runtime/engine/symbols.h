/* What one function may link with: the library's own calls, this process, and the libraries of
 * the function's .deps list.
 *
 * Looked up in the order that a program's own symbols have: first what <tc/entry.h> offers
 * (which nothing can take over), then the process as dlsym(RTLD_DEFAULT) sees it, then the
 * listed libraries in their order, each with its own dependencies, and last the compiler's
 * helpers in libgcc_s. The libraries are opened privately (RTLD_LOCAL): they become visible to
 * this function alone. */
#ifndef TCI_SYMBOLS_H
#define TCI_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

#define TCI_DEPS_MAX 64           /* libraries of one function */
#define TCI_DEPS_SONAME_MAX 256   /* bytes of one library's name, with terminator */
#define TCI_DEPS_BYTES_MAX 65536u /* of the whole text */

typedef struct tci_host_symbol {
    const char *name;
    void *address;
} tci_host_symbol;

/* What one function may link with, beside its libraries. */
typedef struct tci_symbol_scope {
    const tci_host_symbol *host; /* what this library offers */
    size_t host_count;
} tci_symbol_scope;

typedef struct tci_symbols tci_symbols;

/* For who expects functions soon: what the first scope would wait for is loaded now. */
void tci_symbols_prepare(void);

/* `deps` is the text of a .deps file, from outside: a soname per line, '#' begins a comment,
 * blank lines do not count. A name is made of letters, digits and . _ + - and begins with a
 * letter or digit, so it can hold no path. What `scope` points to must outlive the result. TC_E_CORRUPT (the
 * line is quoted), TC_E_TOO_LARGE (a limit above), TC_E_NO_LIBRARY (the library and the
 * loader's reason), TC_E_NO_MEMORY. Opening a library runs its constructors. */
TC_MUST_CHECK tc_status tci_symbols_create(const char *deps, size_t deps_size,
                                           const tci_symbol_scope *scope,
                                           tci_symbols **symbols_out, tc_error *err);

/* Whether such a text names any library. */
bool tci_symbols_deps_name_any(const char *deps, size_t deps_size);

/* Closes the libraries: after the code that uses them was unloaded. NULL is allowed. */
void tci_symbols_destroy(tci_symbols *symbols);

/* A symbol's address, or NULL. Any thread. */
void *tci_symbols_resolve(const tci_symbols *symbols, const char *symbol);

#endif
