/* Several peers send the same many functions to one target at once, whose code it asks for one
 * by one: each message runs, and never for another's function. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/loader.h>

#define PEERS 3u
#define FUNCTIONS 200u /* 600 messages in all */
#define DEPS_BITS 8u

static const char *const asked_for[] = {"code_push", "no", NULL};
static const char *const evicted[] = {"code_push", "no", "code_memory_max", "256K", NULL};

typedef struct crowd {
    pair p;
    tc_context *contexts[PEERS];
    tc_ep *eps[PEERS];
} crowd;

/* The same archive with other libraries is another function. */
static tc_ifunc *variant(tc_context *ctx, const void *archive, size_t size, unsigned n)
{
    char deps[16 * DEPS_BITS] = "";
    tc_error error = {0};
    tc_ifunc *fn;
    for (unsigned bit = 0; bit < DEPS_BITS; bit++)
        strcat(deps, n >> bit & 1 ? "libm.so.6\n" : "libc.so.6\n");
    must(
        tc_ifunc_open_code(
            ctx,
            &(tc_code){.bytes = archive, .size = size, .deps = deps, .deps_size = strlen(deps)},
            &fn, &error),
        &error, "variant");
    return fn;
}

static void crowd_open(crowd *c, const char *const *options)
{
    tc_error error = {0};
    pair_open(&c->p, options);
    for (unsigned i = 0; i < PEERS; i++) {
        c->contexts[i] = i == 0 ? c->p.source : test_context(options);
        c->eps[i] = c->p.ep;
        if (i > 0)
            must(tc_ep_connect(c->contexts[i], c->p.host_port, PAIR_TIMEOUT_NS, &c->eps[i],
                               &error),
                 &error, "connect");
    }
}

static void crowd_close(crowd *c)
{
    for (unsigned i = 1; i < PEERS; i++)
        tc_context_destroy(c->contexts[i]);
    pair_close(&c->p);
}

static void progress_all(const crowd *c)
{
    for (unsigned i = 0; i < PEERS; i++)
        (void)tc_progress(c->contexts[i]);
}

/* In turn, so that all ask for about the same at about the same time. */
static void send_all(crowd *c)
{
    size_t size;
    const void *archive = tc_ifunc_archive(pair_ifunc(&c->p, "check"), &size);
    for (unsigned n = 0; n < FUNCTIONS; n++) {
        for (unsigned i = 0; i < PEERS; i++) {
            tc_ifunc *fn = variant(c->contexts[i], archive, size, n);
            tc_status status;
            while ((status = tc_send(c->eps[i], fn, NULL, 0)) == TC_E_AGAIN)
                progress_all(c);
            assert_ok(status);
        }
        progress_all(c);
    }
}

/* One that flushes progresses itself alone, and the target waits for all. */
static void settle(const crowd *c)
{
    for (unsigned waits = PEERS; waits > 0;) {
        progress_all(c);
        waits = 0;
        for (unsigned i = 0; i < PEERS; i++)
            waits += tc_ep_flush(c->eps[i], 1000000, NULL) != TC_OK;
    }
}

static void expect_all_run(crowd *c)
{
    settle(c);
    for (unsigned i = 0; i < PEERS; i++) {
        tc_error error = {0};
        if (tc_ep_refusal(c->eps[i], &error) > 0)
            fail_msg("peer %u: %s", i, error.text);
    }
    assert_int_equal(c->p.target_state.next, PEERS * FUNCTIONS);
}

TEST(code_that_many_bring_at_once_is_never_taken_for_other_code)
{
    const char *const *const options[] = {asked_for, evicted};
    for (size_t i = 0; i < 2; i++) {
        crowd c;
        crowd_open(&c, options[i]);
        send_all(&c);
        expect_all_run(&c);
        crowd_close(&c);
    }
}

/* --- functions with variables, which stay ------------------------------------------------ */

#define MIXED                                                                                  \
    120u /* functions, every other one with variables: more than the target may keep */
#define ROUNDS 3u

typedef struct outcome {
    unsigned sent, refused;
} outcome;

/* Sends each of a peer's functions once. */
static void send_round(crowd *c, unsigned peer, tc_ifunc *const *fns, unsigned count,
                       outcome *o)
{
    const uint64_t payload = 0;
    for (unsigned n = 0; n < count; n++) {
        tc_status status;
        while ((status = tc_send(c->eps[peer], fns[n], &payload, sizeof payload)) == TC_E_AGAIN)
            progress_all(c);
        o->sent++;
        o->refused += status == TC_E_REFUSED;
        if (status != TC_OK)
            assert_status(status, TC_E_REFUSED);
    }
}

static void open_mixed(crowd *c, unsigned peer, tc_ifunc **fns)
{
    size_t size;
    for (unsigned n = 0; n < MIXED; n++) {
        const char *name = n % 2 == 0 ? "counted" : "check";
        const void *archive = tc_ifunc_archive(pair_ifunc(&c->p, name), &size);
        fns[n] = variant(c->contexts[peer], archive, size, n);
    }
}

/* The sender is notified of code that the target cannot keep. */
TEST(each_message_runs_or_is_refused)
{
    static tc_ifunc *fns[PEERS][MIXED];
    outcome o = {0};
    crowd c;
    crowd_open(&c, evicted);
    for (unsigned i = 0; i < PEERS; i++)
        open_mixed(&c, i, fns[i]);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < PEERS; i++)
            send_round(&c, i, fns[i], MIXED, &o);
        settle(&c);
    }
    tc_error error = {0};
    for (unsigned i = 0; i < PEERS; i++)
        o.refused += tc_ep_refusal(c.eps[i], &error);
    if (o.refused == 0 || c.p.target_state.next + o.refused != o.sent)
        fail_msg("%u sent, %llu ran, %u refused, the last by %s", o.sent,
                 (unsigned long long)c.p.target_state.next, o.refused, error.text);
    crowd_close(&c);
}
