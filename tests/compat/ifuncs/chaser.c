#include "chaser.h"

/* After the last hop one more message goes round, so that all are notified of the end. */
void chaser_main(void *payload, size_t payload_size, void *target_args)
{
    chaser_place *place = target_args;
    chaser_args args = *(chaser_args *)payload;
    ucp_ifunc_msg_t msg;
    (void)payload_size;
    place->visits++;
    args.sum += place->weight;
    place->sum = args.sum;
    if (args.hops <= 1)
        place->done = 1;
    if (args.hops == 0)
        return;
    args.hops--;
    if (ucp_ifunc_msg_create(place->self, &args, sizeof args, &msg) != UCS_OK) {
        place->failed++;
        return;
    }
    ucs_status_t status =
        ucp_ifunc_send_nbix(place->next, msg, place->next_slot, place->next_rkey);
    if (UCS_STATUS_IS_ERR(status))
        place->failed++;
    ucp_ifunc_msg_free(msg);
}
