/* A library is replaced over and over while messages that use it come as fast as they can: no
 * message is lost, and each runs wholly with one version. UPGRADE_MESSAGES and UPGRADES in the
 * environment set the numbers. */
#include "../shipped/shelf.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <tc/call.h>
#include <tc/library.h>

static uint64_t number(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* Has a context of its own, in a thread of its own. */
typedef struct sender {
    const char *host_port;
    uint64_t messages;
    uint64_t step;              /* how many there are between two upgrades */
    atomic_uint_fast64_t limit; /* how many it may have sent by now */
    atomic_uint_fast64_t sent;
    bool failed;
} sender;

static bool send_all(sender *s, tc_context *ctx)
{
    tc_ep *ep;
    tc_ifunc *probe;
    tc_error error;
    if (tc_ep_connect(ctx, s->host_port, 0, &ep, &error) != TC_OK ||
        tc_ifunc_open(ctx, "probe", &probe, &error) != TC_OK)
        return false;
    for (uint64_t n = 0; n < s->messages; n++) {
        while (n == atomic_load(&s->limit))
            (void)tc_progress(ctx);
        if (pair_send(ep, probe, &n, sizeof n) != TC_OK)
            return false;
        if (n % s->step == s->step / 2 && tc_ep_flush(ep, PAIR_TIMEOUT_NS, &error) != TC_OK)
            return false;
        atomic_fetch_add(&s->sent, 1);
    }
    return tc_ep_flush(ep, PAIR_TIMEOUT_NS, &error) == TC_OK && tc_ep_refusal(ep, &error) == 0;
}

static void *run_sender(void *argument)
{
    sender *s = argument;
    tc_context *ctx = NULL;
    s->failed = tc_context_create(NULL, &ctx, NULL) != TC_OK || !send_all(s, ctx);
    atomic_store(&s->sent, s->messages);
    tc_context_destroy(ctx);
    return NULL;
}

/* The sender goes on while a library is pushed. Messages sent in the second quarter of a step
 * come behind one upgrade, and have run before the next one. */
static void push_between(pair *p, sender *s, tc_library *const versions[2], uint64_t upgrades)
{
    tc_error error;
    for (uint64_t i = 1; i <= upgrades; i++) {
        atomic_store(&s->limit, i * s->step + s->step / 4);
        while (atomic_load(&s->sent) < i * s->step)
            (void)tc_progress(p->source);
        must(tc_library_push(p->ep, versions[i % 2], PAIR_TIMEOUT_NS, &error), &error,
             "upgrade");
    }
    atomic_store(&s->limit, s->messages);
}

TEST(upgrades_lose_and_tear_nothing)
{
    pair p;
    pthread_t thread;
    const uint64_t upgrades = number("UPGRADES", 20);
    sender s = {.messages = number("UPGRADE_MESSAGES", 20000)};
    pair_open(&p, NULL);
    tc_library *versions[] = {shipped_library_open(p.source, SHELF(1)),
                              shipped_library_open(p.source, SHELF(2))};
    shipped_library_push(p.ep, SHELF(1));
    s.step = s.messages / (upgrades + 1);
    s.host_port = p.host_port;
    assert_int_equal(pthread_create(&thread, NULL, run_sender, &s), 0);
    push_between(&p, &s, versions, upgrades);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(s.failed);
    pair_pause(&p);
    const uint64_t *count = tc_library_symbol(p.target, "shelf", "shelf_count");
    assert_non_null(count);
    assert_int_equal(*count, s.messages);
    assert_int_equal(p.target_state.next, s.messages);
    assert_int_equal(p.target_state.wrong, 0);
    assert_true(p.target_state.bytes > s.messages && p.target_state.bytes < 2 * s.messages);
    pair_resume(&p);
    pair_close(&p);
}
