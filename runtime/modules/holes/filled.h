/* Filled functions: each has an id of its own, and the code of another function of the
 * registry, which it holds. */
#ifndef TCI_FILLED_H
#define TCI_FILLED_H

#include "filled_archive.h"
#include "ifunc/holes_ops.h"

/* A registry's part of the module's state. */
typedef struct tci_holes {
    tci_holes_ops ops; /* first: registry->holes points to it */
    /* The code that the last filled archive named, if it is not here; otherwise archive_size
     * is 0. */
    tci_code_section missing;
} tci_holes;

static inline tci_holes *tci_filled_state(const tci_registry *registry)
{
    return (tci_holes *)(uintptr_t)registry->holes;
}

/* Expects a function's archive of images with holes alone. TC_E_UNSUPPORTED. */
TC_MUST_CHECK tc_status tci_filled_check_code(const tci_archive *archive, tc_error *err);

/* See tci_holes_ops. */
TC_MUST_CHECK tc_status tci_filled_open(tc_ifunc *fn, tc_error *err);
void tci_filled_forget(tc_ifunc *fn);
TC_MUST_CHECK tc_status tci_filled_refuse(const tc_ifunc *fn, tc_error *err);
bool tci_filled_is_announced(const tc_ep *ep, const tc_ifunc *fn);
tc_ifunc *tci_filled_code_of(const tc_ifunc *fn);

#endif
