/* Functions of the registry that are libraries: how they come into force, take over from one another,
 * and go. Whoever is bound to one that has left is bound anew at once, so that a message runs wholly
 * before or wholly after a change.
 *
 * Everything here is called by the context's thread while no function runs, but for one that is a
 * library itself: those are code of this process (registry.library_main). */
#ifndef TCI_LIBRARIES_H
#define TCI_LIBRARIES_H

#include "ifunc/registry.h"

#define TCI_LIBRARY_OWNER_MAX 256u

/* Puts a library that is loaded in force: runs its NAME_init, takes the name, binds those anew that
 * use it. `owner`: who wants it, to whom the name belongs then; NULL: the program, which is not asked
 * whose it is. Already in force: TC_OK. TC_E_REFUSED (the name is another's; NAME_init said no, and
 * then it is unloaded), TC_E_INVALID (a circle), TC_E_IN_USE (it was replaced and libraries use it
 * still; while it is leaving, this is not called), TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_libraries_put(tc_ifunc *fn, const char *owner, tc_error *err);

/* Whether it is a library that is out of force and will end soon: nobody is bound to it but what a
 * loader's thread makes just now, which is bound anew when that has ended. Till then nothing can be
 * done with it; afterwards it is loaded afresh. */
bool tci_libraries_is_leaving(const tc_ifunc *fn);

/* Takes it out of force. TC_E_NOT_FOUND, TC_E_IN_USE (another library uses it), TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_libraries_withdraw(tc_ifunc *fn, const char *owner, tc_error *err);

/* Takes it out of force whoever uses it, and those that use it as well, as its code may not run any
 * more. False: somebody is bound to it yet, and it cannot be unloaded. */
bool tci_libraries_drop(tc_ifunc *fn);

/* Ends libraries that are out of force and that nobody is bound to: their NAME_fini runs. */
void tci_libraries_collect(tci_registry *registry);
/* Ends all of them, after everything else was unloaded: before the registry's end, which tells nobody of
 * anything from here on. */
void tci_libraries_end(tci_registry *registry);

/* What the program may know of one that is in force. */
tc_ifunc *tci_libraries_function(const tci_library *library);
const char *tci_libraries_owner(const tci_library *library);
void tci_libraries_count_users(const tci_registry *registry, const tci_library *library,
                               uint64_t *functions_out, uint64_t *libraries_out);

/* For a NAME_init that runs: a symbol of the library that it takes over from. */
void *tci_libraries_older(const char *symbol);

#endif
