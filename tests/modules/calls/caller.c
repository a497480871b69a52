#include "caller.h"

void caller_nothing(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}

tc_call_id caller_start(tc_ep *ep, tc_ifunc *fn, heard *h, uint64_t timeout_ns)
{
    tc_call_params params = heard_params(h);
    tc_call_id id;
    params.result_capacity = 64;
    params.timeout_ns = timeout_ns;
    assert_ok(tc_call_start(ep, fn, "?", 1, &params, &id, NULL));
    assert_int_not_equal(id, 0);
    return id;
}

caller caller_make(void)
{
    caller c;
    fake_pair_make(&c.pair, FAKE_MAPPED);
    c.pair.far->core.options.ring_bytes = 1u << 16;
    fake_pair_connect(&c.pair);
    c.fn = fake_node_function(c.pair.near, "nothing", caller_nothing);
    c.core = &c.pair.near->core;
    return c;
}

void caller_run(void (*test)(caller *c))
{
    caller c = caller_make();
    test(&c);
    fake_pair_close(&c.pair);
}

tci_answerer caller_asked(const caller *c)
{
    return (tci_answerer){.ep = c->pair.ep, .group = c->pair.ep->member.group};
}

void caller_answer(const caller *c, tc_call_id id, const char *text)
{
    const tci_reply reply = {.call = id, .total = strlen(text), .rank = 4, .hops = 2};
    const tci_answerer by = caller_asked(c);
    tci_calls_answer(c->core, &by, &reply, NULL, (const uint8_t *)text, strlen(text));
}
