/* From bitcode to an object file in memory, linked by jit_linker.h.
 *
 * All of LLVM's state is made for the one call (its own context, a machine of its own), so any
 * number of threads may compile at once. */
#ifndef TCI_OBJECT_EMIT_H
#define TCI_OBJECT_EMIT_H

#include "host_target.h"

/* Only the entry points of the object are visible to the linker. The caller owns *object_out.
 * Statuses as tci_engine_ops.load's. */
tc_status tci_object_emit(tci_host_target *host, const tci_engine_code *code,
                          LLVMMemoryBufferRef *object_out, tc_error *err);

#endif
