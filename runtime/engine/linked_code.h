/* Makes a compiler's output callable. The compiler's module links objects; the library itself
 * links images (option compiled), so that only the readers of image_bundle.h and image.h read
 * the output of a compiler that was taken over. */
#ifndef TCI_LINKED_CODE_H
#define TCI_LINKED_CODE_H

#include "engine/engine.h"
#include "engine/engine_shared.h"
#include "engine/symbols.h"

typedef struct tci_linked_code tci_linked_code;

typedef struct tci_link_request {
    const tci_engine_shared *shared;
    tci_code_arena *arena;
    const tci_engine_code *code; /* as for tci_engine_ops.link */
    tci_symbols *symbols;        /* asked by the code's resolver */
    /* As for tci_engine_ops.link, and of the same kind. */
    const tci_linked_code *base;
} tci_link_request;

/* Statuses of tci_engine_ops.link; of an image also TC_E_VERSION. */
TC_MUST_CHECK tc_status tci_linked_code_make(const tci_link_request *request, const void *bytes,
                                             size_t size, tci_linked_code **linked_out,
                                             tci_entries *entries_out, tc_error *err);

/* Returns TCI_OUTPUT_OBJECT or TCI_OUTPUT_IMAGE. */
tci_code_output tci_linked_code_output(const tci_linked_code *linked);

/* These three are as in tci_engine_ops. */
uint32_t tci_linked_code_writable(const tci_linked_code *linked);
size_t tci_linked_code_memory(const tci_linked_code *linked);
size_t tci_linked_code_symbols(const tci_linked_code *linked,
                               const tci_code_symbol **symbols_out);

/* Binds an image to `symbols` instead of `before`, which it was linked with. No code of it may
 * be running. TC_E_AGAIN: its imports were not kept; only images of functions that use
 * libraries received by messages keep them. Otherwise as tci_image_loader_rebind. */
TC_MUST_CHECK tc_status tci_linked_code_rebind(tci_linked_code *linked, tci_symbols *before,
                                               tci_symbols *symbols, tc_error *err);

/* No call of its entries may be running. NULL is allowed. */
void tci_linked_code_free(tci_linked_code *linked);

#endif
