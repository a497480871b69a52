/* Checks the key that UCX needs for puts to a peer's ring, before UCX gets it. */
#ifndef TCI_PUT_KEY_H
#define TCI_PUT_KEY_H

#include "delivery/delivery.h"

/* Compares the key with one that UCX makes here for the purpose, and checks that there is
 * address space to map the ring. TC_E_CORRUPT, TC_E_PEER_LOST: as in ucx_rkey.h.
 * TC_E_NO_MEMORY: the ring cannot be mapped. TC_E_NO_MEMORY, TC_E_UCX, TC_E_UNSUPPORTED: there
 * is no key to compare with. */
TC_MUST_CHECK tc_status tci_put_key_check(const tci_delivery_peer *peer, tc_error *err);

#endif
