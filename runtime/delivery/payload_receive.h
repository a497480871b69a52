/* PAYLOAD messages: UCX writes their bytes to where the context says. */
#ifndef TCI_PAYLOAD_RECEIVE_H
#define TCI_PAYLOAD_RECEIVE_H

#include "delivery/ucx_compat.h"

/* UCX's handler of PAYLOAD messages; arg is a tci_am_binding. */
ucs_status_t tci_payload_receive(void *arg, const void *header, size_t header_size,
                                 void *data, size_t size, const ucp_am_recv_param_t *param);

#endif
