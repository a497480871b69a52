/* Functions of the registry that are libraries: how they come into force, replace one another,
 * and leave. Users of a library that has left are bound again at once, so that a message runs
 * wholly before or wholly after a change.
 *
 * The context's thread calls everything here while no function runs, except one that is a
 * library itself: those are code of this process (tci_libraries_ops.main). */
#ifndef TCI_LIBRARIES_H
#define TCI_LIBRARIES_H

#include "ifunc/libraries_ops.h"

#define TCI_LIBRARY_OWNER_MAX 256u

/* Puts a loaded library in force: runs its NAME_init, takes the name, and binds its users
 * again. `owner`: the peer that asks for it and owns the name then; NULL: the program, which
 * need not own the name. Already in force: TC_OK. TC_E_REFUSED (the name belongs to another
 * owner; or NAME_init refused, and the library is unloaded), TC_E_INVALID (a circle),
 * TC_E_IN_USE (it was replaced and libraries still use it; must not be called while it is
 * leaving), TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_libraries_put(tc_ifunc *fn, const char *owner, tc_error *err);

/* See tci_libraries_ends_soon. */
bool tci_libraries_is_leaving(const tc_ifunc *fn);

/* Takes it out of force. TC_E_NOT_FOUND, TC_E_IN_USE (another library uses it),
 * TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_libraries_withdraw(tc_ifunc *fn, const char *owner, tc_error *err);

/* See tci_libraries_forbid. */
bool tci_libraries_drop(tc_ifunc *fn);

/* Ends libraries that are out of force and have no users: runs their NAME_fini. */
void tci_libraries_collect(tci_registry *registry);
/* See tci_libraries_ops. */
void tci_libraries_end(tci_registry *registry);

/* Information for the program about a library in force. */
tc_ifunc *tci_libraries_function(const tci_library *library);
const char *tci_libraries_owner(const tci_library *library);
void tci_libraries_count_users(const tci_registry *registry, const tci_library *library,
                               uint64_t *functions_out, uint64_t *libraries_out);

/* Returns a symbol of the library that is being replaced, for the NAME_init that is running. */
void *tci_libraries_older(const char *symbol);

#endif
