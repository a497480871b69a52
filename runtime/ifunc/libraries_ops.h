/* The socket of the module libraries (core/module.h): functions of the registry that other code
 * is bound to. Without the module none is in use as a library, and peers' libraries are
 * refused. */
#ifndef TCI_LIBRARIES_OPS_H
#define TCI_LIBRARIES_OPS_H

#include "ifunc/registry.h"

typedef struct tci_libraries_ops {
    /* Runs for a message to a library, which has no main of its own. */
    void (*main)(void *payload, size_t payload_size, void *target_args);
    /* For functions in use as libraries: see below. */
    bool (*is_leaving)(const tc_ifunc *fn);
    bool (*drop)(tc_ifunc *fn);
    /* Ends all libraries, after everything else was unloaded. Called before the registry's end;
     * the registry reports no events from here on. */
    void (*end)(tci_registry *registry);
} tci_libraries_ops;

/* Returns whether fn is a library that is out of force and will end soon: only code that a
 * loader's thread is making now is bound to it, and that code is bound again when it is made.
 * The library cannot be used until then; afterwards it can be loaded again. */
static inline bool tci_libraries_ends_soon(const tc_ifunc *fn)
{
    return fn->library != NULL && fn->registry->libraries->is_leaving(fn);
}

/* Takes it out of force in spite of its users, and with it the libraries that use it, as its
 * code may not run any more. Returns false if code is still bound to it, so that it cannot be
 * unloaded. */
static inline bool tci_libraries_forbid(tc_ifunc *fn)
{
    return fn->library == NULL || fn->registry->libraries->drop(fn);
}

#endif
