/* The network port of UCX: opened for a context only when it needs one.
 *
 * Any process that reaches UCX's port can read and write the memory of this process, without
 * being a peer. So a context begins without a port: it reaches, and is reached by, processes of
 * its user on this host. An operation that needs more opens the port, for good, and logs that.
 * Endpoints that exist then keep their worker, beside the new one. */
#ifndef TCI_UCX_PORT_H
#define TCI_UCX_PORT_H

#include "core/network_ops.h"

/* These are operations of tci_network_ops, which describes them. */
TC_MUST_CHECK tc_status tci_ucx_port_start(tci_core *core, const struct tc_ucx_objects *given,
                                           int epoll_fd, const tci_am_receiver *receiver,
                                           tc_error *err);
void tci_ucx_port_stop(tci_core *core);
TC_MUST_CHECK tc_status tci_ucx_port_open(tci_core *core, const char *cause, tc_error *err);
void tci_ucx_port_describe(const tci_worker *worker, tci_hello *hello);

#endif
