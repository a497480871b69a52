/* Keys of nodes: all have the world's, and connections are TLS. One node may be an outsider,
 * which has another key or no key: it and the others refuse each other with a text, and no
 * function of it runs. */
#include "traffic_node.h"

#include "keys.h"

#include <string.h>

#define KINDS_BIT (2 * PLAN_NODES_MAX + 1) /* of plan_draws: two bits for the outsider's key */

/* Returns the kind of an outsider's key; -1: it has no key. */
static int outsider_kind(const plan *p)
{
    if (!plan_draws(p, KINDS_BIT))
        return -1;
    return plan_draws(p, KINDS_BIT + 1) ? KEYS_OTHER_NAME : KEYS_OTHER_BYTES;
}

static int kind_of(const node *n, unsigned context)
{
    return plan_is_outsider(n->all->plan, node_of(context)) ? outsider_kind(n->all->plan)
                                                            : KEYS_OF_WORLD;
}

void node_set_key(const node *n, tc_options *options)
{
    const int kind = kind_of(n, n->number);
    if (has(n, PLAN_keys) && kind >= 0)
        node_set(n, options, "key_file", keys_file((keys_kind)kind));
}

bool node_shares_key(const node *n, unsigned to)
{
    return !has(n, PLAN_keys) || kind_of(n, n->number) == kind_of(n, to);
}

void node_try_outsider(node *n, unsigned to)
{
    tc_ep *ep;
    tc_error error = {0};
    char address[TC_SIM_ADDRESS_BYTES];
    const unsigned ends = n->all->ends[to];
    const bool listened = n->all->listens[to];
    tc_status status =
        tc_ep_connect(n->ctx, node_address(n, to, address), TIMEOUT_NS, &ep, &error);
    const bool may_be_lost =
        node_is_disturbed(n) || n->all->ends[to] != ends || !listened || !n->all->listens[to];
    tc_sim_note("context %u refuses context %u: %s", to, n->number, error.text);
    if (status == TC_OK) {
        flows_fail("node %u: node %u took it as a peer in spite of its key", n->number, to);
        tc_ep_close(ep);
    } else if (status != TC_E_REFUSED && !(may_be_lost && node_is_loss(n, status))) {
        flows_fail("node %u: connect to node %u, which has another key: %s: %s", n->number, to,
                   tc_status_name(status), error.text);
    } else if (error.status != status || error.text[0] == '\0') {
        flows_fail("node %u: connect to node %u, which has another key: %s without a text",
                   n->number, to, tc_status_name(status));
    }
}

void node_expect_identity(const node *n, const tc_ep *ep)
{
    static const char *const names[] = {[KEYS_OF_WORLD] = "key:world",
                                        [KEYS_OTHER_NAME] = "key:other",
                                        [KEYS_OTHER_BYTES] = "key:world"};
    tc_ep_info info;
    const int kind = kind_of(n, n->number);
    const char *expected = has(n, PLAN_keys) && kind >= 0 ? names[kind] : "";
    tc_ep_query(ep, &info);
    if (strcmp(info.peer_identity, expected) != 0 && n->all->plan->fail_at == 0)
        flows_fail("node %u: the identity of a peer is '%s', expected '%s'", n->number,
                   info.peer_identity, expected);
}
