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
 * this concerns nobody there. Puts need a fence that waits for it: from 1.16 on UCX's own
 * choice (UCX_FENCE_MODE=auto) is a strong fence, a flush of the worker, and that holds. A weak
 * one does not (measured with 1.18 and 1.20: each of 1,000 frames overtaken), so delivery by
 * put refuses to work under UCX_FENCE_MODE=weak. To keep cma out of it altogether, which makes
 * puts of 8 KB twice as fast, set UCX_TLS=^cma; the library does not, because large payloads
 * gain by it.
 * - UCX_FENCE_MODE came with 1.14; 1.13 has weak fences only, warns of the setting, and never
 * picks cma for puts. So the library leaves it to UCX.
 * - 1.19 has UCX_FENCE_MODE=ep_based, which need not flush. It is not set here: it may pick a
 * weak fence, and those hold no order on adapters that place data out of order before 1.22.
 * - A strong fence progresses UCX and blocks, so a fence has no place in a UCX handler, and it
 * lasts as long as UCX takes to find out that a peer on tcp is gone.
 * - 1.13 cannot say what carries an endpoint's puts (UCP_EP_ATTR_FIELD_TRANSPORTS came with
 * 1.14), so nothing here guesses whether that is an RDMA adapter. */
#ifndef TCI_UCX_COMPAT_H
#define TCI_UCX_COMPAT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

#if UCP_API_VERSION < UCP_VERSION(1, 13)
#error "Three-Chains needs UCX 1.13 or newer"
#endif

/* Whether a fence orders all puts of the UCX that is loaded. */
static inline bool tci_ucx_fences_hold(void)
{
    unsigned major, minor, patch;
    const char *mode = getenv("UCX_FENCE_MODE");
    ucp_get_version(&major, &minor, &patch);
    bool puts_by_cma = major > 1 || minor >= 16;
    return !puts_by_cma || mode == NULL || strcmp(mode, "weak") != 0;
}

#endif
