/* The network port of UCX: opened for a context only when it needs one.
 *
 * Any process that reaches UCX's port can read and write the memory of this process, without
 * being a peer. So a context begins without a port: it reaches, and is reached by, processes of
 * its user on this host. An operation that needs more opens the port, for good, and logs that.
 * Endpoints that exist then keep their worker, beside the new one. */
#ifndef TCI_NETWORK_H
#define TCI_NETWORK_H

#include "core/ep.h"
#include "delivery/worker.h"

/* Makes the core's worker and address. The options decide on network and puts, which `params`
 * leaves unset. Statuses of tci_worker_create. */
TC_MUST_CHECK tc_status tci_network_init(tci_core *core, tci_worker_params params,
                                         tc_error *err);

/* Lets endpoints reach other hosts from now on, if the option `network` and UCX_TLS allow it;
 * otherwise the link will report that there is no way. Where connections carry everything, UCX
 * needs no port, and it stays closed. `credentials` are those of the connections that need it;
 * `cause` is for the log: "it listens at 10.0.0.1:7000".
 * TC_E_UCX, TC_E_NO_MEMORY, TC_E_IO, TC_E_CORRUPT (the address is too long for a hello). */
TC_MUST_CHECK tc_status tci_network_open(tci_core *core, const tci_credentials *credentials,
                                         const char *cause, tc_error *err);

/* Fills in the ways to this side for the endpoint's HELLO. Where everything has to go over the
 * connection, it names no way of UCX's. The result is the same on every call. */
void tci_network_describe(tc_ep *ep, tci_hello *hello);

/* Opens the endpoint's link to the peer that `theirs` describes, as tci_link_open: over its
 * connection if either side wants that, or if there is no other way (then the log gives the
 * reason). TC_E_VERSION: it has no connection, and the peer's version of UCX differs. */
TC_MUST_CHECK tc_status tci_network_link(tc_ep *ep, const tci_hello *theirs, tc_error *err);

/* Returns the worker that the endpoint's ring and link belong to: the core's worker at the
 * first call. */
tci_worker *tci_network_worker(tc_ep *ep);

#endif
