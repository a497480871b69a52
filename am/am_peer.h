/* The sizes of units for a rank, and its credit: larger where messages take longer. */
#ifndef TCA_AM_PEER_H
#define TCA_AM_PEER_H

#include "am_state.h"

#define TCA_UNIT_NEAR 8192u /* bytes, of ranks that share memory with this one */
#define TCA_UNIT_FAR 32768u
#define TCA_CREDIT_NEAR 65536u
#define TCA_CREDIT_FAR 262144u

/* Looks at the rank's endpoint until that has a delivery. */
void tca_peer_learn(tc_ams *ams, uint32_t rank);

static inline const tca_peer *tca_peer_find(tc_ams *ams, uint32_t rank)
{
    if (!ams->peers[rank].is_learned)
        tca_peer_learn(ams, rank);
    return &ams->peers[rank];
}

#endif
