/* Links an object file in memory to code that can be called, by ORC's JITLink.
 *
 * Every function gets a JITDylib of its own, which sees only the results of the function's
 * resolver: two functions with the same names, or with different libraries behind the same
 * symbol, cannot meet. ORC never frees a JITDylib, so emptied ones are used again. One lock
 * serialises linking, which takes tens of microseconds; compiling is outside.
 *
 * Code that has debug information is linked by a second JIT that notifies debuggers of it: for
 * all other code this would take a third of a link's time. */
#ifndef TCI_JIT_LINKER_H
#define TCI_JIT_LINKER_H

#include "host_target.h"
#include "object_emit.h"

typedef struct tci_jit_linker tci_jit_linker;

tc_status tci_jit_linker_create(tci_host_target *host, tci_jit_linker **linker_out,
                                tc_error *err);
/* Called after every function was unlinked. Returns LLVM's error in err, if there is one;
 * everything is freed nevertheless. */
tc_status tci_jit_linker_destroy(tci_jit_linker *linker, tc_error *err);

/* `base` as in tci_engine_ops.link. TC_E_UNRESOLVED (symbols that code generation has brought
 * in), TC_E_COMPILE, TC_E_NO_MEMORY. */
tc_status tci_jit_link(tci_jit_linker *linker, const tci_object_view *object,
                       const tci_engine_code *code, const tci_loaded *base,
                       tci_loaded **loaded_out, tci_entries *entries_out, tc_error *err);
/* As tci_engine_ops.writable. */
uint32_t tci_jit_writable(const tci_loaded *loaded);
/* Returns the bytes that its code and data take: whole pages, without LLVM's records about
 * them. */
size_t tci_jit_memory(const tci_loaded *loaded);
/* As tci_engine_ops.symbols. */
size_t tci_jit_symbols(const tci_loaded *loaded, const tci_code_symbol **symbols_out);
/* On failure only the function's memory is lost. */
tc_status tci_jit_unlink(tci_jit_linker *linker, tci_loaded *loaded, tc_error *err);

#endif
