/* Compiles bitcode to an object in memory, which jit_linker.h links.
 *
 * All of LLVM's state is made for the one call (its own context, a machine of its own), so any
 * number of threads may compile at once. */
#ifndef TCI_OBJECT_EMIT_H
#define TCI_OBJECT_EMIT_H

#include "host_target.h"

/* Only the entry points of the object are visible to the linker, and the variables that
 * writable_data.h shares. Statuses as tci_engine_ops.compile's. */
tc_status tci_object_emit(tci_host_target *host, const tci_engine_code *code,
                          tci_object *object_out, tc_error *err);

/* The contents of a tci_object's bytes. The only check is that this engine made them. */
typedef struct tci_object_view {
    const char *elf;
    size_t elf_size;
    uint32_t writable;
    tci_code_level level;
} tci_object_view;

/* TC_E_CORRUPT. */
tc_status tci_object_emit_open(const void *bytes, size_t size, tci_object_view *view_out,
                               tc_error *err);

#endif
