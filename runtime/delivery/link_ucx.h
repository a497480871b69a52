/* UCX's link: its endpoint to one peer. */
#ifndef TCI_LINK_UCX_H
#define TCI_LINK_UCX_H

#include "delivery/link.h"
#include "delivery/ucx_address.h"

/* What a peer says of itself. */
typedef struct tci_link_peer {
    tci_ucx_address address;
    bool same_host; /* that process is one of this host's */
} tci_link_peer;

/* Never blocks. TC_E_UCX, TC_E_UNREACHABLE, TC_E_NO_MEMORY; TC_E_CORRUPT: the address is not one
 * (ucx_address.h says what is checked). */
TC_MUST_CHECK tc_status tci_link_open(tci_worker *worker, const tci_link_peer *peer,
                                      tci_link **link_out, tc_error *err);

/* What UCX is told of the two ends of a link, to judge a key by. */
typedef struct tci_link_ends {
    tci_worker *worker;
    pid_t peer_pid;         /* as it says */
    uint64_t posix_domains; /* of tci_ucx_address_posix */
} tci_link_ends;
tci_link_ends tci_link_ends_of(const tci_link *link);

/* Ends those lingering links that UCX has connected, or given up, meanwhile. */
void tci_link_reap(tci_worker *worker);

#endif
