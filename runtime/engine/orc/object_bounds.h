/* Bounds of an object's costs to the process that links it.
 *
 * LLVM links in that process, not in one that can be killed, and it cannot be interrupted. So
 * before it sees an object, everything that its time and memory grow with is counted. Nearly
 * all of it grows in proportion; the records of unwind tables cost their square (LLVM up to
 * 19). */
#ifndef TCI_OBJECT_BOUNDS_H
#define TCI_OBJECT_BOUNDS_H

#include "elf_object.h"

/* Functions, variables that have names, and undefined symbols. */
#define TCI_OBJECT_BOUNDS_SYMBOLS_MAX 65536u
#define TCI_OBJECT_BOUNDS_RELOCATIONS_MAX (4u << 20)
/* Functions that may have unwind tables: half a second and 270 MB. */
#define TCI_OBJECT_BOUNDS_UNWIND_MAX 4096u

/* memory_max is tci_engine_code's. TC_E_TOO_LARGE: linked code and data, or the memory for
 * linking besides, exceed it; or there is too much of one kind. TC_E_UNSUPPORTED: data that is
 * aligned to more than a page, or a list of constructors. TC_E_CORRUPT: no object. */
TC_MUST_CHECK tc_status tci_object_bounds_check(const tci_elf_object *object,
                                                uint64_t memory_max, tc_error *err);

#endif
