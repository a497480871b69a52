/* Selects and configures UCX's transports for a context of the library's own.
 *
 * UCX's tcp transport listens at every address of the machine and writes into the process's
 * memory as any connecting peer asks: it knows no keys. So only contexts that need it get it.
 * Without it `self` and `posix` are left, and nothing listens. `sysv` is never among them: its
 * segments have mode 0660, so processes of the same group could write into them; those of posix
 * have 0600. UCX_TLS in the environment takes precedence. */
#ifndef TCI_UCX_TRANSPORTS_H
#define TCI_UCX_TRANSPORTS_H

#include "modules/ucx/ucx_compat.h"
#include "modules/ucx/worker.h"

/* Returns whether the environment selects the transports. */
bool tci_ucx_transports_are_set(void);
/* Returns whether the selected transports can reach other hosts, and so be reached from them;
 * false without a selection. */
bool tci_ucx_transports_set_network(void);
/* Returns whether the environment leaves UCX, and so us, shared memory. */
bool tci_ucx_transports_share_memory(void);

ucs_status_t tci_ucx_transports_open(const tci_worker_params *params,
                                     ucp_context_h *context_out);

#endif
