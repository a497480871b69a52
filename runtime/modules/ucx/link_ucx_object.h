/* The members of UCX's link, shared by its source files. */
#ifndef TCI_LINK_UCX_OBJECT_H
#define TCI_LINK_UCX_OBJECT_H

#include "base/live_process.h"
#include "delivery/link_ops.h"
#include "modules/ucx/link_ucx.h"
#include "modules/ucx/worker_private.h"

/* Links of one worker that are closed, and that UCX still needs. */
#define TCI_LINGERING_MAX 1024u

typedef struct tci_link_ucx {
    tci_link base;
    tci_worker *worker;
    ucp_ep_h ucp_ep;
    ucp_rkey_h rkey;
    bool aside; /* frames do not use it */
    tci_am_header peer;
    tci_live_process process;
    tci_link_ends ends;
    uint64_t looked_ns;
    enum { PEER_LIVES, PEER_SEEMS_ENDED, PEER_ENDED } found;
    ucs_status_t failure;
    /* A flush: it ends when the workers are connected. NULL: they are, or will never be. */
    ucs_status_ptr_t connecting;
    ucs_status_ptr_t flushing; /* by tci_link_flush_begin; NULL: not begun, or it has ended */
    bool closes;               /* the endpoint, which is UCX's since */
    ucs_status_ptr_t closing;  /* its close; NULL: that has ended */
    struct tci_link_ucx *next_lingering; /* bound: TCI_LINGERING_MAX */
} tci_link_ucx;

static inline tci_link_ucx *tci_link_ucx_of(tci_link *link)
{
    return (tci_link_ucx *)(void *)link; /* its first member */
}

static inline const tci_link_ucx *tci_link_ucx_of_const(const tci_link *link)
{
    return (const tci_link_ucx *)(const void *)link;
}

/* UCX's callback for a send or a put of a tci_link_op. */
void tci_link_finish_send(void *request, ucs_status_t status, void *user);

#endif
