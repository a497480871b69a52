/* Whether UCX listens on the network for a context.
 *
 * Whoever reaches UCX's port can read and write the memory of the process, without being a peer.
 * So a context begins without one: it reaches, and is reached by, processes of its user on this
 * host. What needs more opens the port, for good, and says so in the log. Endpoints that are there
 * then keep their worker, beside the new one. */
#ifndef TCI_NETWORK_H
#define TCI_NETWORK_H

#include "core/ep.h"

/* Makes the core's worker and address; `params` without network and the puts, which the
 * options decide. The statuses are those of tci_worker_create. */
TC_MUST_CHECK tc_status tci_network_init(tci_core *core, tci_worker_params params,
                                         tc_error *err);

/* From now on endpoints reach other hosts, if the option `network` and UCX_TLS allow it: else the
 * link will say that there is no way. Where connections carry everything UCX needs no port: none is
 * opened. `credentials` are those of the connections that it is for; `cause` is for the log: "it
 * listens at 10.0.0.1:7000".
 * TC_E_UCX, TC_E_NO_MEMORY, TC_E_IO, TC_E_CORRUPT (the address is too long for a hello). */
TC_MUST_CHECK tc_status tci_network_open(tci_core *core, const tci_credentials *credentials,
                                         const char *cause, tc_error *err);

/* What the endpoint's HELLO says of the ways to this side; with a connection that everything has to
 * go over, nothing of UCX's. The same whenever it is asked. */
void tci_network_describe(tc_ep *ep, tci_hello *hello);

/* Opens the endpoint's link to whoever says this of itself, as tci_link_open: over its connection if
 * either side wants that, or if there is no other way (then the log says why). TC_E_VERSION: it has
 * no connection, and the UCX there is another. */
TC_MUST_CHECK tc_status tci_network_link(tc_ep *ep, const tci_hello *theirs, tc_error *err);

/* The worker that the endpoint's ring and link belong to: the one that there is when this is
 * first asked. */
tci_worker *tci_network_worker(tc_ep *ep);

#endif
