/* What an INJECT frame carries behind its payload, made once per function and architecture. */
#ifndef TCI_INJECT_SECTION_H
#define TCI_INJECT_SECTION_H

#include "ifunc/registry.h"

/* The image for the target of that number (archive_layout.h) that every CPU of it can run;
 * owned by the function. TC_E_NO_SLICE: it has none, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_inject_section(tc_ifunc *fn, unsigned target,
                                           const uint8_t **bytes_out, size_t *size_out,
                                           tc_error *err);

/* With the function. */
void tci_inject_sections_free(tc_ifunc *fn);

#endif
