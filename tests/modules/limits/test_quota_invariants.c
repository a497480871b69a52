/* Broken state of an account of quotas ends the process. */
#include "../../support/broken_invariant.h"
#include "../../support/fake_node.h"
#include "modules/limits/quota.h"

static tci_account *accounts;

static tc_ep *admitted(void)
{
    tc_error error;
    fake_node *node = fake_node_create();
    tc_ep *ep = fake_node_ep(node);
    node->core.options.quota_message_rate = 1000;
    assert_ok(tci_quota_admit(&accounts, ep, &error));
    return ep;
}

TEST_BROKEN(account_endpoints)
{
    tc_ep *ep = admitted();
    ep->account->endpoints = 0;
    tci_quota_leave(ep);
}

TEST_BROKEN(account_queue)
{
    tc_ep *ep = admitted();
    tci_quota_queue(ep, 1);
}

TEST_BROKEN(account_tasks)
{
    tci_quota_count_task(admitted(), -1);
}

TEST_BROKEN(account_rate)
{
    tc_ep *ep = admitted();
    ep->account->filled_ns = UINT64_MAX;
    ep->account->messages = 0;
    (void)tci_quota_waits(ep);
}
