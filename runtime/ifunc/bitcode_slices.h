/* Functions given as bare bitcode, from any compiler or made at run time. An archive is made
 * around them. */
#ifndef TCI_BITCODE_SLICES_H
#define TCI_BITCODE_SLICES_H

#include "ifunc/registry.h"

/* The program's structs: `count` of `size` bytes each, the size that it was compiled with. */
typedef struct tci_bitcode_slices {
    const tc_bitcode *first;
    size_t count, size;
    const char *prototype; /* or NULL */
    bool in_haste; /* the archive is as large as its content, and made in microseconds */
} tci_bitcode_slices;

/* Makes an archive of the slices and adds it to the registry. The bitcode itself is not read
 * here, only by the process that runs it. TC_E_INVALID (no slice, an invalid name or triple),
 * TC_E_IN_USE, TC_E_UNSUPPORTED; statuses of tci_registry_add. */
TC_MUST_CHECK tc_status tci_bitcode_slices_open(tci_registry *registry, const char *name,
                                                const tci_bitcode_slices *given,
                                                const char *deps, size_t deps_size,
                                                tc_ifunc **fn_out, tc_error *err);

#endif
