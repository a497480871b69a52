/* The modules of this build, which TC_MODULES (CMake) chooses: core/module.h. */
#ifndef TCI_MODULES_H
#define TCI_MODULES_H

#include "core/core.h"

/* Attaches each module to a registry without a core. tci_modules_detach_registry follows in any
 * case, also after a failure, and after tci_registry_fini. */
TC_MUST_CHECK tc_status tci_modules_attach_registry(tci_registry *registry,
                                                    const struct tc_options *options,
                                                    tc_error *err);
void tci_modules_detach_registry(tci_registry *registry);

/* Attaches each module to a core and its registry. tci_modules_detach follows in any case, also
 * after a failure. */
TC_MUST_CHECK tc_status tci_modules_attach(tci_core *core, tc_error *err);

/* Detaches all, in reverse order; those that were not attached have nothing to free. */
void tci_modules_detach(tci_core *core);

/* The modules' part of housekeeping. */
void tci_modules_turn(tci_core *core);
void tci_modules_service(tci_core *core, uint64_t now_ns);

/* Returns the version of the loaded UCX: 0.0.0 without the module `ucx`. */
void tci_modules_ucx_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out);

/* Copies the functions of modules that shipped code may call. Returns how many, at most
 * `max`. */
size_t tci_modules_symbols(tci_host_symbol *symbols_out, size_t max);

#endif
