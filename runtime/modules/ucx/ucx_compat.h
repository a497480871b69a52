/* The differences between UCX 1.13 and 1.22, collected here, and the rules that hold for all of
 * them.
 *
 * - To find out whether a peer on this host lives UCX opens a file of /proc, and takes the lack
 * of a descriptor for the peer's end. So UCX is not asked (KEEPALIVE_INTERVAL=inf), except for
 * RDMA adapters, which report the death of an idle peer in no other way; link.h describes the
 * check that replaces it.
 * - 1.13: the header of an active message must live until the send completes
 * (UCP_AM_SEND_FLAG_COPY_HEADER came with 1.14). We always keep it, so one code serves all.
 * - Endpoints ask for UCP_ERR_HANDLING_MODE_PEER. Shared-memory transports offer that only with
 * MM_ERROR_HANDLING=y; without it peers on one host silently use tcp, 40 to 170 times slower.
 * - From 1.16 on a put of more than about 4 KB to UCX-allocated memory may be done by the
 * kernel (cma), later and out of order. Stores into the mapped ring do not go through UCX, so
 * this does not affect them. To keep cma out of it altogether, which makes puts of 8 KB twice
 * as fast, set UCX_TLS=^cma; the library does not, because large payloads gain by it.
 * - Up to 1.15 a fence orders puts, at once. From 1.16 on UCX's own choice
 * (UCX_FENCE_MODE=auto) is a strong fence: it progresses UCX and blocks until all data that
 * the worker has sent has arrived at every peer, so over tcp, and with messages that wait for
 * space in shared memory, until the peers progress. Two peers that wait for each other, or for
 * a peer in their own thread, wait forever. Weak fences do not hold there (measured with 1.18
 * and 1.20: each of 1,000 frames overtaken by its signal), nor does ep_based (1.19) on adapters
 * that store data out of order before 1.22. So from 1.16 on a flush of the endpoint replaces
 * the fence and calls back.
 * - 1.18 takes no shared memory if fewer than 16 MiB are left of it (UCX_POSIX_SHM_MIN_SIZE;
 * 1.13 does not know that). It needs 2.2 MB for a context, and is configured to take them.
 * - 1.13 cannot report the carrier of an endpoint's puts (UCP_EP_ATTR_FIELD_TRANSPORTS came
 * with 1.14), so nothing here guesses whether that is an RDMA adapter: ucx_rdma.h.
 * - Puts that UCX emulates by messages are answered by the process that gets them. 1.13 ends
 * that process when the answer cannot be sent ("Fatal: unexpected error"), because the sender
 * has been killed: 3 of 14 kills during a flush or a call over tcp. 1.18 did not in 80, but
 * there a barrier of four threads' contexts over such puts stood still. So they are refused. */
#ifndef TCI_UCX_COMPAT_H
#define TCI_UCX_COMPAT_H

#include <stdbool.h>
#include <tc/status.h>
#include <ucp/api/ucp.h>

#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "Three-Chains needs UCX 1.13 or newer"
#endif

/* Returns whether the loaded UCX is of this minor version or newer. */
static inline bool tci_ucx_is_from(unsigned minor_wanted)
{
    unsigned major, minor, patch;
    ucp_get_version(&major, &minor, &patch);
    return major > 1 || minor >= minor_wanted;
}

/* Returns whether the loaded UCX's fences wait for peers, so that no fence may be used. */
static inline bool tci_ucx_fences_block(void)
{
    return tci_ucx_is_from(16);
}

/* The only function that converts a ucs_status_t into a tc_status: fills err with the caller's
 * text and UCX's, and returns the status that fits best. */
tc_status tci_ucx_error(tc_error *err, ucs_status_t status, const char *what);

#endif
