#include "am_peer.h"

/* Without an endpoint the sizes are those of a near rank: the next active message looks again.
 * */
void tca_peer_learn(tc_ams *ams, uint32_t rank)
{
    tca_peer *peer = &ams->peers[rank];
    tc_ep_info info = {0};
    tc_ep *ep;
    if (tc_group_ep(ams->group, rank, &ep, NULL) == TC_OK)
        tc_ep_query(ep, &info);
    peer->is_learned = info.delivery != NULL && strcmp(info.delivery, "none") != 0;
    const bool is_far = peer->is_learned && strcmp(info.delivery, "direct") != 0;
    peer->unit_bytes = is_far ? TCA_UNIT_FAR : TCA_UNIT_NEAR;
    peer->credit_bytes = is_far ? TCA_CREDIT_FAR : TCA_CREDIT_NEAR;
    if (ams->unit_bytes > 0)
        peer->unit_bytes = ams->unit_bytes;
    if (ams->credit_bytes > 0)
        peer->credit_bytes = ams->credit_bytes;
}
