/* Which of UCX's transports a context of the library's own takes, and how they are set.
 *
 * UCX's tcp transport listens at every address of the machine and writes into the process's
 * memory what whoever connects there asks for: it knows no keys. So nobody gets it who does not
 * need it. Without it `self` and `posix` are left, and nothing listens. `sysv` is never among
 * them: its segments have mode 0660, so processes of the same group could write into them; those
 * of posix have 0600. UCX_TLS in the environment takes precedence. */
#ifndef TCI_UCX_TRANSPORTS_H
#define TCI_UCX_TRANSPORTS_H

#include "delivery/ucx_compat.h"
#include "delivery/worker.h"

/* Whether the environment says which transports there are. */
bool tci_ucx_transports_are_set(void);
/* If it does: whether other hosts can be reached by them, and so this one by others. */
bool tci_ucx_transports_set_network(void);
/* Whether the environment leaves UCX, and so us, shared memory. */
bool tci_ucx_transports_share_memory(void);

ucs_status_t tci_ucx_transports_open(const tci_worker_params *params,
                                     ucp_context_h *context_out);

#endif
