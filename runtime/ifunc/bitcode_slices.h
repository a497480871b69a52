/* Functions whose code comes as bare bitcode, from any compiler or made at run time: what they
 * lack of an archive is put around them. */
#ifndef TCI_BITCODE_SLICES_H
#define TCI_BITCODE_SLICES_H

#include "ifunc/registry.h"

/* What a program gave: `count` structs of `size` bytes each, as it was compiled with. */
typedef struct tci_bitcode_slices {
    const tc_bitcode *first;
    size_t count, size;
    bool in_haste; /* the archive is as large as what it holds, and there in microseconds */
} tci_bitcode_slices;

/* Makes an archive of them and adds it to the registry. The bitcode itself is not read: whoever
 * runs it does. TC_E_INVALID (no slice, a name or triple that is none), TC_E_IN_USE,
 * TC_E_UNSUPPORTED; statuses of tci_registry_add. */
TC_MUST_CHECK tc_status tci_bitcode_slices_open(tci_registry *registry, const char *name,
                                                const tci_bitcode_slices *given,
                                                const char *deps, size_t deps_size,
                                                tc_ifunc **fn_out, tc_error *err);

#endif
