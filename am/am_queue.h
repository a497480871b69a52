/* Active messages to a rank of which units were not sent yet, in the order of their start. */
#ifndef TCA_AM_QUEUE_H
#define TCA_AM_QUEUE_H

#include "am_message.h"

#define TCA_OVERTAKES_MAX 64u /* of one active message that waits for credit */

void tca_queue_join(tca_peer *peer, tca_message *m);

/* Takes one out, and counts it as an overtaker of those before it. */
void tca_queue_take_out(tca_peer *peer, tca_message *m);

/* True: it may go ahead of all before it. */
bool tca_queue_may_go(const tca_peer *peer, const tca_message *m);

/* True: some of the window wait for the rank. */
bool tca_queue_has(const tc_am_window *window, uint32_t rank);

#endif
