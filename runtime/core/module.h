/* A module is an optional part of the library: limits, calls, trust, ... It attaches to a core
 * by a table of operations, a member of tci_core that the core's own files call through. The
 * core never calls a function of a module by name, so a module that TC_MODULES (CMake) leaves
 * out is not linked, and a build without any module still sends and runs functions.
 *
 * A socket is the header of such a table (core/limits.h, ...): the operations, and inline
 * functions that the core's files call; they do without the module while the member is NULL.
 * The member stays NULL, too, while the options use nothing of the module: an unused module
 * costs one test of a pointer. */
#ifndef TCI_MODULE_H
#define TCI_MODULE_H

#include "base/module_absent.h"

#include "engine/symbols.h"

#include <stdint.h>

struct tci_core;
struct tci_registry;
struct tc_options;

/* A row of a table of functions that shipped code may call. */
#define TCI_HOST_SYMBOL(function)                                                              \
    {                                                                                          \
#function, (void *)(uintptr_t)(function)                                               \
    }

typedef struct tci_module {
    const char *name; /* as in TC_MODULES */
    /* Sets the module's table in a registry, before tci_registry_init: of a context, or of a
     * loader, which has no core. NULL: it has nothing to do with functions. */
    tc_status (*attach_registry)(struct tci_registry *registry,
                                 const struct tc_options *options, tc_error *err);
    /* Frees the module's state in a registry, if it is attached. The functions are gone. NULL:
     * it has no state there. */
    void (*detach_registry)(struct tci_registry *registry);
    /* Sets the module's table in the core, if the options use the module. The options have been
     * read; nothing of the core but these is used. NULL: its work is for registries alone. */
    tc_status (*attach)(struct tci_core *core, tc_error *err);
    /* Frees the module's state in a core, if it is attached. Endpoints and functions are gone,
     * as far as there were any. NULL: it has no state. */
    void (*detach)(struct tci_core *core);
    /* Called in every turn of housekeeping; NULL: never. */
    void (*turn)(struct tci_core *core);
    /* Called at intervals, with the deadlines of connections and calls; NULL: never. */
    void (*service)(struct tci_core *core, uint64_t now_ns);
    /* Returns the version of the UCX that the module uses, or NULL. */
    void (*ucx_version)(unsigned *major_out, unsigned *minor_out, unsigned *patch_out);
    const tci_host_symbol *symbols; /* its functions that shipped code may call */
    size_t symbol_count;
} tci_module;

/* Stores `table` in an empty member of the core. TC_E_INVALID: another module is there. */
TC_MUST_CHECK tc_status tci_module_take(const void **member, const void *table,
                                        const char *name, tc_error *err);

#endif
