/* The key that UCX needs to put to a peer's ring: whether it may be given to UCX. */
#ifndef TCI_PUT_KEY_H
#define TCI_PUT_KEY_H

#include "delivery/delivery.h"

/* Compares it with a key that UCX makes here for the purpose, and looks whether there is room to map
 * the ring. TC_E_CORRUPT, TC_E_PEER_LOST: what ucx_rkey.h says. TC_E_NO_MEMORY: no room. That,
 * TC_E_UCX, TC_E_UNSUPPORTED: there is nothing to compare with. */
TC_MUST_CHECK tc_status tci_put_key_check(const tci_delivery_peer *peer, tc_error *err);

#endif
