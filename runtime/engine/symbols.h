/* The symbols that one function may link with: the library's own calls, this process, and the
 * libraries of the function's .deps list.
 *
 * The calls of <tc/entry.h> come first (no library can override them), then the listed
 * libraries that have come by messages, only one of which may define a symbol. The rest follows
 * the order of a program's own symbols: the process as dlsym(RTLD_DEFAULT) sees it, the listed
 * libraries of this machine in their order, each with its own dependencies, and last the
 * compiler's helpers in libgcc_s. A policy judges the symbol that was found: both engines look
 * up symbols here. The libraries are opened privately (RTLD_LOCAL): they become visible to this
 * function alone. */
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

/* The sources and limits of one function's symbols, besides its .deps list. */
typedef struct tci_symbol_scope {
    const tci_host_symbol *host; /* symbols that this library offers */
    size_t host_count;
    const tci_symbol_policy *policy; /* NULL: it may bind any symbol */
    const char *signer;              /* of the function; NULL or "": unsigned */
    tci_library_set *libraries;      /* that have come by messages; NULL: no libraries */
    bool may_lack;                   /* a library that cannot be loaded is a warning */
} tci_symbol_scope;

typedef struct tci_symbols tci_symbols;

/* Loads in advance the libraries and tables that the first scope would wait for. */
void tci_symbols_prepare(void);

/* `deps` is the text of a .deps file, from outside: a soname per line, '#' begins a comment,
 * blank lines do not count. A name is made of letters, digits and . _ + - and begins with a
 * letter or digit, so it cannot hold a path. "tc:" and a C identifier name a library that has
 * come by a message. The data that `scope` points to must outlive the result. TC_E_CORRUPT (the
 * line is quoted), TC_E_TOO_LARGE (a limit above), TC_E_NO_LIBRARY (the library and the
 * loader's reason, unless the scope may lack it, or the policy's rule), TC_E_ABSENT (no such
 * library has come), TC_E_NO_MEMORY. Opening a library runs its constructors, so the policy is
 * asked before. */
TC_MUST_CHECK tc_status tci_symbols_create(const char *deps, size_t deps_size,
                                           const tci_symbol_scope *scope,
                                           tci_symbols **symbols_out, tc_error *err);

/* Returns a library that has come by messages and that it is bound to, by index; NULL after the
 * last. NULL symbols, here and below, are bound to no library. */
tci_library *tci_symbols_library(const tci_symbols *symbols, size_t index);
/* Releases these libraries when no lookup follows. */
void tci_symbols_let_go(tci_symbols *symbols);
/* tci_symbols_rest releases them until the next lookup, so that a library that goes out of
 * force meanwhile can end. tci_symbols_resume finds them again by the meaning of their names at
 * that time; a lookup does so, too. `deps` must still be valid. TC_E_ABSENT: one is no longer
 * at this node, and no symbol of any of them is found. */
void tci_symbols_rest(tci_symbols *symbols);
TC_MUST_CHECK tc_status tci_symbols_resume(tci_symbols *symbols, tc_error *err);
/* Returns whether one of them is out of force, so that it should be bound again. */
bool tci_symbols_are_old(const tci_symbols *symbols);

/* Closes the libraries, after the code that uses them was unloaded. NULL is allowed. */
void tci_symbols_destroy(tci_symbols *symbols);

/* Returns a symbol's address, or NULL: no library defines it, or the policy denies it, which is
 * recorded for tci_symbols_explain. One thread at a time; without a policy any. */
void *tci_symbols_resolve(tci_symbols *symbols, const char *symbol);
/* Does the same for a weak reference, for which a denied symbol is an undefined one. */
void *tci_symbols_resolve_weak(tci_symbols *symbols, const char *symbol);

/* Lets an engine look up symbols here, and makes it refuse assembly under a policy. */
void tci_symbols_serve(tci_symbols *symbols, tci_engine_code *code);

/* Completes err's text after TC_E_UNRESOLVED: with a symbol that two libraries define, or one
 * of another prototype, which is TC_E_VERSION; or else with the denied symbols, their libraries
 * and rules; or else with the libraries that could not be loaded. Returns the status
 * of the text, otherwise `status`. NULL symbols are allowed. */
TC_MUST_CHECK tc_status tci_symbols_explain(const tci_symbols *symbols, tc_status status,
                                            tc_error *err);

#endif
