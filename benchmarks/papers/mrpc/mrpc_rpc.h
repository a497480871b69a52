/* Calls of ONC RPC (RFC 5531) between the ranks of an application, by libtirpc, to compare
 * with: each rank serves all others in a thread of its own, over TCP at loopback and without a
 * port mapper, and calls each other one by a handle, one call at a time. Bytes are opaque to
 * XDR, which would swap those of every number on most machines. */
#ifndef TC_MRPC_RPC_H
#define TC_MRPC_RPC_H

#include "mrpc_rank.h"

#define MRPC_RPC_HEAD_MAX 64u /* bytes of a call's head and of its result */
#define MRPC_RPC_BODY_MAX (1u << 28)

/* Runs at the rank that is called, in its serving thread: `state` is the application's.
 * result_out has space for MRPC_RPC_HEAD_MAX bytes.
 *
 *   Returns the bytes of the result. A call that is refused has none. */
typedef size_t (*mrpc_rpc_server)(void *state, const void *head, size_t head_size,
                                  const void *body, size_t body_size, void *result_out);

/* NULL, or the reason why this build has no RPC. */
const char *mrpc_rpc_missing(void);

/* Serves, and connects to all others. Collective. False after a line on stderr;
 * mrpc_rpc_close is owed all the same, when no rank calls any more.
 *
 *   body_max  the largest body of a call, up to MRPC_RPC_BODY_MAX bytes */
bool mrpc_rpc_open(mrpc_rank *r, mrpc_rpc_server serve, size_t body_max);
void mrpc_rpc_close(mrpc_rank *r);

/* Blocks until the result is here, which has exactly result_size bytes. False after a line on
 * stderr. */
bool mrpc_rpc_call(mrpc_rank *r, uint32_t peer, const void *head, size_t head_size,
                   const void *body, size_t body_size, void *result, size_t result_size);

#endif
