/* How endpoints end: that each is told what became of it, whoever else ends at the same time,
 * and that ending many takes no longer than ending one. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"
#include "context/context_object.h"

#define PEERS 100u /* more than one look at the descriptors serves */

/* What the target's program hears. */
typedef struct heard {
    unsigned opened, closed, failed;
    tc_error error; /* of the one that failed last */
} heard;

static void hear(void *user, tc_ep *ep, tc_ep_event event)
{
    heard *h = user;
    h->opened += event == TC_EP_OPENED;
    h->closed += event == TC_EP_CLOSED;
    h->failed += event == TC_EP_FAILED;
    if (event == TC_EP_FAILED)
        (void)tc_ep_error(ep, &h->error);
}

/* The target hears of everything from here on; until then it is paused. */
static void serve_until_ended(pair *p, const heard *h, unsigned count)
{
    uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    while (h->closed + h->failed < count) {
        (void)tc_progress(p->target);
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("%u closed and %u failed of %u", h->closed, h->failed, count);
    }
}

static void all_who_close_while_nobody_looks_have_closed(void **state)
{
    pair p;
    heard h = {.opened = 0};
    tc_context *peers[PEERS];
    tc_ep *ep;
    tc_error error = {0};
    pair_open(&p, NULL);
    pair_pause(&p);
    tc_context_set_ep_callback(p.target, hear, &h);
    pair_resume(&p);
    for (unsigned i = 0; i < PEERS; i++) {
        peers[i] = test_context(NULL);
        must(tc_ep_connect(peers[i], p.host_port, PAIR_TIMEOUT_NS, &ep, &error), &error,
             "connect");
    }
    pair_pause(&p);
    for (unsigned i = 0; i < PEERS; i++)
        tc_context_destroy(peers[i]);
    /* UCX tells of all links' ends before anybody looks at the streams. */
    for (unsigned i = 0; i < 100 * PEERS; i++)
        (void)tci_worker_progress(p.target->core.worker);
    serve_until_ended(&p, &h, PEERS);
    if (h.failed > 0)
        fail_msg("%u of %u: %s", h.failed, PEERS, h.error.text);
    tc_context_set_ep_callback(p.target, NULL, NULL);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_who_close_while_nobody_looks_have_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
