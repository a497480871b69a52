/* The ways to a peer, which both HELLOs decide: the network of the module `ucx`
 * (core/network_ops.h) or the endpoint's connection. */
#ifndef TCI_NETWORK_H
#define TCI_NETWORK_H

#include "core/network_ops.h"

/* Lets endpoints reach other hosts by the network from now on, if the option `network` and
 * UCX_TLS allow it; otherwise the link will report that there is no way. Where connections
 * carry everything, the port is not needed, and stays closed. `credentials` are those of the
 * connections that need it; `cause` is for the log: "it listens at 10.0.0.1:7000".
 * TC_E_UCX, TC_E_NO_MEMORY, TC_E_IO, TC_E_CORRUPT (the address is too long for a hello). */
TC_MUST_CHECK tc_status tci_network_open(tci_core *core, const tci_credentials *credentials,
                                         const char *cause, tc_error *err);

/* The same for peers with a connection, before their HELLOs: nothing where `auto` prefers the
 * connection to UCX's network (tci_network_describe offers it). */
TC_MUST_CHECK tc_status tci_network_prepare(tci_core *core, const tci_credentials *credentials,
                                            const char *cause, tc_error *err);

/* The same on the answering side, for a peer of another host that does not offer its
 * connection: one of an earlier release, or with the option delivery. Call it before the
 * endpoint has a worker. */
TC_MUST_CHECK tc_status tci_network_agree(tc_ep *ep, const tci_hello *theirs, tc_error *err);

/* Fills in the ways to this side for the endpoint's HELLO. Where everything has to go over the
 * connection, it names no way of UCX's. The result is the same on every call. */
void tci_network_describe(tc_ep *ep, tci_hello *hello);

/* Opens the endpoint's link to the peer that `theirs` describes: over its connection if either
 * side wants that, or if there is no other way (then the log gives the reason); otherwise by
 * the network. TC_E_VERSION: it has no connection, and the peer's version of UCX differs.
 * TC_E_UNSUPPORTED: no connection, and a build without UCX. */
TC_MUST_CHECK tc_status tci_network_link(tc_ep *ep, const tci_hello *theirs, tc_error *err);

/* Makes the memory of the endpoint's ring: tci_region_create. TC_E_UCX, TC_E_NO_MEMORY;
 * TC_E_UNSUPPORTED: the application's UCX context has no puts. */
TC_MUST_CHECK tc_status tci_network_region(tc_ep *ep, size_t bytes, tci_region_use use,
                                           bool twice, tci_region **region_out, tc_error *err);

/* Returns the worker that the endpoint's ring and link belong to: the core's worker at the
 * first call. NULL without the module. */
tci_worker *tci_network_worker(tc_ep *ep);

#endif
