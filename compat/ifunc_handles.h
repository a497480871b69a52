/* Handles of registered functions. They are numbers, not addresses: a deregistered one is
 * recognised even if its slot was reused. */
#ifndef TCI_IFUNC_HANDLES_H
#define TCI_IFUNC_HANDLES_H

#include "known_code.h"

#include <tc/compat/ucp/api/ucp.h>

/* UCS_ERR_EXCEEDS_LIMIT, UCS_ERR_NO_MEMORY. */
ucs_status_t tci_ifunc_handle_create(ucp_context_h context, const tci_known_code *code,
                                     ucp_ifunc_h *handle_out);
/* UCS_ERR_NO_ELEM, UCS_ERR_INVALID_PARAM: as ucp_deregister_ifunc. */
ucs_status_t tci_ifunc_handle_destroy(ucp_context_h context, ucp_ifunc_h handle);

/* Returns NULL for a handle that was deregistered or never existed. For any thread, without a
 * lock. */
const tci_known_code *tci_ifunc_handle_code(ucp_ifunc_h handle);

#endif
