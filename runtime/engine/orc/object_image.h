/* Makes an object file, as LLVM emits it, into a compiled image (image_bundle.h): the work that
 * a linker would do at the target is done here, where nothing depends on it. */
#ifndef TCI_OBJECT_IMAGE_H
#define TCI_OBJECT_IMAGE_H

#include "engine/engine_ops.h"

/* Uses the name, the entries and the level of `code`; `writable` as in tci_object. The bytes
 * are for free(). TC_E_UNSUPPORTED and TC_E_TOO_LARGE for content that an image cannot hold
 * (thread-local variables, indirect functions, near references to symbols elsewhere, pointers
 * that are not aligned, more than 64 MiB), TC_E_CORRUPT, TC_E_NO_MEMORY. */
tc_status tci_object_image_make(const tci_engine_code *code, const void *elf, size_t elf_size,
                                uint32_t writable, void **bytes_out, size_t *size_out,
                                tc_error *err);

#endif
