/* What one function may link with: the library's own calls, this process, and the libraries of
 * the function's .deps list.
 *
 * First what <tc/entry.h> offers (which nothing can take over), then the listed libraries that have
 * come by messages, of which one alone may have it. Then in the order that a program's own symbols
 * have: the process as dlsym(RTLD_DEFAULT) sees it, the listed libraries of this machine in their
 * order, each with its own dependencies, and last the compiler's helpers in libgcc_s. A policy
 * judges what was found: both engines come through here. The libraries are opened privately
 * (RTLD_LOCAL): they become visible to this function alone. */
#ifndef TCI_SYMBOLS_H
#define TCI_SYMBOLS_H

#include "engine/engine_ops.h"
#include "engine/library_set.h"
#include "engine/symbol_policy.h"

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
    const tci_symbol_policy *policy; /* NULL: it may bind whatever is there */
    const char *signer;              /* of the function; NULL or "": nobody */
    tci_library_set *libraries;      /* that have come by messages; NULL: none */
    bool may_lack;                   /* a library that cannot be loaded is a warning */
} tci_symbol_scope;

typedef struct tci_symbols tci_symbols;

/* For who expects functions soon: what the first scope would wait for is loaded now. */
void tci_symbols_prepare(void);

/* `deps` is the text of a .deps file, from outside: a soname per line, '#' begins a comment,
 * blank lines do not count. A name is made of letters, digits and . _ + - and begins with a
 * letter or digit, so it can hold no path. "tc:" and a C identifier name a library that has come by a
 * message. What `scope` points to must outlive the result. TC_E_CORRUPT (the line is quoted),
 * TC_E_TOO_LARGE (a limit above), TC_E_NO_LIBRARY (the library and the loader's reason, unless the
 * scope may lack it, or the policy's rule), TC_E_ABSENT (no such library has come), TC_E_NO_MEMORY. Opening a library runs its
 * constructors, so the policy is asked before. */
TC_MUST_CHECK tc_status tci_symbols_create(const char *deps, size_t deps_size,
                                           const tci_symbol_scope *scope,
                                           tci_symbols **symbols_out, tc_error *err);

/* The libraries that have come by messages and that it is bound to, by index; NULL behind the last.
 * NULL symbols, here and below: to none. */
tci_library *tci_symbols_library(const tci_symbols *symbols, size_t index);
/* Forgets them, for who is done with looking up. */
void tci_symbols_let_go(tci_symbols *symbols);
/* Forgets them for as long as nothing is looked up, so that a library that goes out of force meanwhile
 * can end, and finds them again by what their names mean then. A lookup in between does that too.
 * `deps` has to be there yet. TC_E_ABSENT: one is not at this node any more, and nothing of any is
 * found. */
void tci_symbols_rest(tci_symbols *symbols);
TC_MUST_CHECK tc_status tci_symbols_resume(tci_symbols *symbols, tc_error *err);
/* Whether one of them is out of force, so that it should be bound anew. */
bool tci_symbols_are_old(const tci_symbols *symbols);

/* Closes the libraries: after the code that uses them was unloaded. NULL is allowed. */
void tci_symbols_destroy(tci_symbols *symbols);

/* A symbol's address, or NULL: nobody defines it, or the policy denies it, which is kept for
 * tci_symbols_explain. One thread at a time; without a policy any. */
void *tci_symbols_resolve(tci_symbols *symbols, const char *symbol);
/* For a weak reference, to which a symbol that is denied is one that is not there. */
void *tci_symbols_resolve_weak(tci_symbols *symbols, const char *symbol);

/* Has an engine ask here, and refuse assembly where there is a policy. */
void tci_symbols_serve(tci_symbols *symbols, tci_engine_code *code);

/* After TC_E_UNRESOLVED: if symbols were denied, err's text says which, of what library, and by
 * which rule; else it says which libraries could not be loaded. NULL symbols are allowed. */
void tci_symbols_explain(const tci_symbols *symbols, tc_status status, tc_error *err);

#endif
