/* A function that travels as a shared object (NAME.so): for machines of one architecture. */
#ifndef TCI_SHARED_OBJECT_H
#define TCI_SHARED_OBJECT_H

#include "ifunc_frame.h"

#include <tc/loader.h>
#include <ucp/api/ucp.h>

/* Loads the bytes (second) and finds the entry points of the function (first). The system's
 * loader links it like any library, but from memory: it need not be a file here. It stays
 * loaded. *alignment_out is written if the library requests an alignment of its payloads.
 * Statuses: UCS_ERR_IO_ERROR (no name), UCS_ERR_NO_MEMORY, UCS_ERR_UNSUPPORTED (the loader's
 * reason is logged), UCS_ERR_NO_ELEM (no NAME_main, or only one of the two payload functions),
 * UCS_ERR_INVALID_PARAM (an invalid alignment). */
ucs_status_t tci_shared_object_load(const tci_code_parts *parts, tc_entry_points *entries_out,
                                    size_t *alignment_out);

#endif
