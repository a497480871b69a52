/* UCX's link: its endpoint to one peer. */
#ifndef TCI_LINK_UCX_H
#define TCI_LINK_UCX_H

#include "delivery/link.h"
#include "modules/ucx/ucx_address.h"
#include "modules/ucx/worker.h"

/* A peer's statements about itself. */
typedef struct tci_link_peer {
    tci_ucx_address address;
    bool same_host; /* that process runs on this host */
} tci_link_peer;

/* Opens a link; never blocks. TC_E_UCX, TC_E_UNREACHABLE, TC_E_NO_MEMORY; TC_E_CORRUPT: the
 * address is malformed (ucx_address.h lists the checks). */
TC_MUST_CHECK tc_status tci_link_open(tci_worker *worker, const tci_link_peer *peer,
                                      tci_link **link_out, tc_error *err);

/* The two ends of a link as UCX knows them, to check a key against. */
typedef struct tci_link_ends {
    tci_worker *worker;
    pid_t peer_pid;         /* as the peer states it */
    uint64_t posix_domains; /* result of tci_ucx_address_posix */
} tci_link_ends;
tci_link_ends tci_link_ends_of(const tci_link *link);

/* Ends the lingering links that UCX has connected, or given up, meanwhile. */
void tci_link_reap(tci_worker *worker);

#endif
