/* What differs between UCX 1.13 and 1.22, in one place; and the rules that hold for all of
 * them.
 *
 * - 1.13: the header of an active message must live until the send completes
 * (UCP_AM_SEND_FLAG_COPY_HEADER came with 1.14). We always keep it, so one code serves all.
 * - Endpoints ask for UCP_ERR_HANDLING_MODE_PEER. Shared-memory transports offer that only with
 * MM_ERROR_HANDLING=y; without it peers on one host silently talk over tcp, 40 to 170 times
 * slower.
 * - From 1.16 on a put of more than about 4 KB to UCX-allocated memory may be done by the
 * kernel (cma), later and out of order. Stores into the mapped ring do not go through UCX, so
 * this concerns nobody here. */
#ifndef TCI_UCX_COMPAT_H
#define TCI_UCX_COMPAT_H

#include <ucp/api/ucp.h>

#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "Three-Chains needs UCX 1.13 or newer"
#endif

#endif
