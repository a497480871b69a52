/* Broken state of an endpoint, its core and its delivery ends the process. */
#include "../support/broken_invariant.h"
#include "../support/fake_node.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "core/single_message.h"
#include "delivery/frame_batches.h"
#include "endpoint/ep_life.h"
#include "endpoint/wakeup.h"

static fake_pair pair; /* of the child that breaks it */

static tc_ep *opened(uint64_t delivery)
{
    fake_pair_open(&pair, delivery);
    return pair.ep;
}

TEST_BROKEN(ep_state)
{
    tci_ep_open(opened(FAKE_MAPPED));
}

TEST_BROKEN(ep_ready)
{
    tc_ep *ep = fake_node_ep(fake_node_create());
    ep->state = TCI_EP_AWAITING_READY;
    tci_ep_open(ep);
}

TEST_BROKEN(ep_handshakes)
{
    tc_ep *ep = fake_node_ep(fake_node_create());
    ep->core->handshakes = 0;
    (void)tci_ep_fail_with(ep, TC_E_TIMEOUT, "late");
}

TEST_BROKEN(ep_peers)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->core->storing_peers = 0;
    tci_ep_finish(ep);
}

TEST_BROKEN(ep_connection)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->core->by_connection[ep->connection] = NULL;
    tci_ep_free(ep);
}

TEST_BROKEN(ep_list)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->core->first = NULL;
    tci_ep_free(ep);
}

TEST_BROKEN(ep_used)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tci_ep_note_use(ep);
    ep->core->used = NULL;
    tci_ep_finish(ep);
}

TEST_BROKEN(ep_ring_memory)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->core->ring_memory = 0;
    ep->rx.ring_memory = 1;
    tci_ep_free(ep);
}

TEST_BROKEN(ep_copy_memory)
{
    tc_ep *ep = opened(FAKE_CARRIED);
    ep->core->copy_memory = 0;
    ep->tx.copy_memory = 1;
    tci_ep_free(ep);
}

TEST_BROKEN(watched_index)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->core->watched[ep->rx.watched_at].ep = pair.peer;
    tci_ep_unwatch(ep);
}

TEST_BROKEN(watched_open)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tci_ep_finish(ep);
    ep->rx.watched_at = 0;
    tci_ep_free(ep);
}

TEST_BROKEN(credit_order)
{
    tc_ep *ep = opened(FAKE_CARRIED);
    ep->rx.ring.published = ep->rx.ring.head + TCI_FRAME_GRANULE;
    tci_credit_return(ep);
}

TEST_BROKEN(credit_mark)
{
    tc_ep *ep = opened(FAKE_CARRIED);
    fake_delivery *d = (fake_delivery *)(void *)ep->tx.delivery;
    d->made = d->on_their_way = 1;
    ep->rx.credit.mark = 2;
    tci_credit_return(ep);
}

TEST_BROKEN(credit_again)
{
    tc_ep *ep = opened(FAKE_CARRIED);
    ep->rx.credit.again = true;
    (void)tci_credit_may_leave(ep);
}

TEST_BROKEN(credit_unmapped)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->rx.credit.due = true;
    (void)tci_credit_may_leave(ep);
}

TEST_BROKEN(message_single)
{
    static const uint8_t bytes[TCI_SINGLE_MESSAGE_MAX + 1];
    tc_ep *ep = opened(FAKE_CARRIED);
    tci_single_message *message = NULL;
    assert_ok(tci_single_message_send(&message, ep->link, TCI_AM_CREDIT, bytes, sizeof bytes));
}

TEST_BROKEN(send_fast)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
    assert_ok(tc_send(ep, fn, NULL, 0));
    ep->tx.building = true; /* without tci_ep_set_fast */
    assert_ok(tc_send(ep, fn, NULL, 0));
}

TEST_BROKEN(send_coalesced)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->tx.coalesced_count = TCI_COALESCED_MAX + 1;
    tci_sender_commit_coalesced(&ep->tx);
}

TEST_BROKEN(doorbell_step)
{
    tc_ep *ep = opened(FAKE_MAPPED);
    ep->wake.doorbell = 1;
    tci_wakeup_disarm(ep);
}

/* --- batches of frames -------------------------------------------------------------------  */

static tci_frame_batches batches;

static void keep(void *user, tci_batch *batch)
{
    (void)user;
    (void)tci_batch_op(batch, 0); /* never ends */
}

static tci_frame_batches *made(void)
{
    assert_true(tci_frame_batches_init(&batches, 1, 4096, 1024, 0, keep, NULL));
    tci_frame_batches_push(&batches, 0, 64);
    return &batches;
}

TEST_BROKEN(batch_pending)
{
    tci_batch *batch = made()->oldest;
    tci_batch_op_ended(&batch->ops[0]);
    tci_batch_op_ended(&batch->ops[0]);
}

TEST_BROKEN(batch_count)
{
    made()->completed = 2;
    (void)tci_frame_batches_turn(&batches);
    tci_frame_batches_push(&batches, 64, 64);
    (void)tci_frame_batches_turn(&batches);
}

TEST_BROKEN(batch_lap)
{
    tci_frame_batches_push(made(), 64, 4096);
}

TEST_BROKEN(batch_next)
{
    tci_frame_batches_push(made(), 32, 32);
}

TEST_BROKEN(batch_consumed)
{
    made()->consumed = 2;
    batches.submitted = 1;
    tci_frame_batches_push(&batches, 64, 64);
    (void)tci_frame_batches_turn(&batches);
}
