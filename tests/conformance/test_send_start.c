/* Sends whose bytes stay the caller's until they end (tc_send_start); run for each delivery. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <sys/uio.h>
#include <tc/call.h>

#define MESSAGES 200u
#define LARGE ((size_t)3 << 20)

/* One send: its bytes, and how it ended. */
typedef struct sending {
    uint8_t *bytes;
    tc_status status;
    unsigned ends;
    unsigned order; /* of its end among those of the test */
} sending;

static unsigned ended;

static void note_end(void *user, tc_status status)
{
    sending *s = user;
    s->status = status;
    s->ends++;
    s->order = ended++;
    memset(s->bytes, 0xee, 8); /* the caller's again */
}

static sending make(uint64_t n, size_t size)
{
    sending s = {.bytes = malloc(size + 8)};
    assert_non_null(s.bytes);
    check_fill(s.bytes, n, size);
    return s;
}

static tc_status start(tc_ep *ep, tc_ifunc *fn, sending *s, const struct iovec *parts,
                       size_t count)
{
    const tc_send_params params = {.done = note_end, .user = s};
    tc_error error = {TC_OK, ""};
    tc_status status;
    while ((status = tc_send_start(ep, fn, parts, count, &params, &error)) == TC_E_AGAIN)
        assert_ok(tc_wait(tc_ep_context(ep), PAIR_TIMEOUT_NS));
    assert_int_equal(error.status == TC_E_AGAIN ? TC_OK : error.status, status);
    return status;
}

static void start_whole(tc_ep *ep, tc_ifunc *fn, sending *s, size_t size)
{
    const struct iovec part = {s->bytes, size};
    assert_ok(start(ep, fn, s, &part, 1));
}

static size_t size_of(unsigned n)
{
    static const size_t sizes[] = {0, 1, 8, 9, 48, 49, 500, 4000, 20000, 70000, 300000};
    return sizes[n % (sizeof sizes / sizeof sizes[0])];
}

static void expect_ends(sending *sent, unsigned count, tc_status status)
{
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(sent[i].ends, 1);
        assert_int_equal(sent[i].status, status);
        assert_int_equal(sent[i].order, i);
        free(sent[i].bytes);
    }
}

static void sends_of_all_sizes_run_in_order_with_tc_send(void **state)
{
    static sending sent[MESSAGES];
    pair p;
    (void)state;
    pair_open(&p, (const char *const[]){"ring_bytes", "16K", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    ended = 0;
    for (unsigned i = 0; i < MESSAGES; i++) {
        sent[i] = make(2 * i, size_of(i));
        start_whole(p.ep, fn, &sent[i], size_of(i));
        assert_int_equal(sent[i].ends, 0); /* never before the call returns */
        pair_send_check(p.ep, fn, 2 * i + 1, size_of(i * 7) % 5000);
    }
    pair_flush(p.ep);
    expect_ends(sent, MESSAGES, TC_OK);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, 2 * MESSAGES);
    pair_close(&p);
}

/* Splits a payload in `count` parts of different sizes, some of them empty. */
static void split(uint8_t *bytes, size_t size, struct iovec *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t n = i + 1 == count ? size : i % 3 == 1 ? 0 : size / (i + 2);
        parts[i] = (struct iovec){bytes, n};
        bytes += n;
        size -= n;
    }
}

static void parts_are_put_together(void **state)
{
    static const size_t sizes[] = {0, 3, 47, 1000, 60000, LARGE};
    struct iovec parts[TC_SEND_PARTS_MAX + 1];
    sending sent[3 * (sizeof sizes / sizeof sizes[0])];
    unsigned n = 0;
    pair p;
    (void)state;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    ended = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t count = 1; count <= TC_SEND_PARTS_MAX; count += 7) {
            sent[n] = make(n, sizes[i]);
            split(sent[n].bytes, sizes[i], parts, count);
            assert_ok(start(p.ep, fn, &sent[n], parts, count));
            n++;
        }
    }
    split(sent[0].bytes, 1, parts, TC_SEND_PARTS_MAX + 1);
    assert_status(tc_send_start(p.ep, fn, parts, TC_SEND_PARTS_MAX + 1, NULL, NULL),
                  TC_E_INVALID);
    pair_flush(p.ep);
    expect_ends(sent, n, TC_OK);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, n);
    pair_close(&p);
}

/* A program that polls counts, and needs no callback; the next send may wait behind a large one
 * that has not left. */
static void a_counter_counts_ends(void **state)
{
    pair p;
    uint64_t count = 0;
    const tc_send_params params = {.ended = &count};
    (void)state;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    sending large = make(0, LARGE), small = make(1, 100);
    const struct iovec first = {large.bytes, LARGE}, second = {small.bytes, 100};
    assert_ok(tc_send_start(p.ep, fn, &first, 1, &params, NULL));
    assert_ok(tc_send_start(p.ep, fn, &second, 1, &params, NULL));
    assert_int_equal(count, 0);
    while (count < 2)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 2);
    assert_int_equal(p.target_state.wrong, 0);
    free(large.bytes);
    free(small.bytes);
    pair_close(&p);
}

static void a_full_queue_is_said(void **state)
{
    enum { MOST = 1000 };
    static sending sent[MOST];
    pair p;
    unsigned n = 0;
    tc_status status = TC_OK;
    tc_error error;
    (void)state;
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "send_queue_bytes", "8K", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    ended = 0;
    pair_send_check(p.ep, fn, 0, 8);
    pair_flush(p.ep);
    pair_pause(&p);
    for (; status == TC_OK && n < MOST; n++) {
        sent[n] = make(n + 1, 100);
        const struct iovec part = {sent[n].bytes, 100};
        status = tc_send_start(p.ep, fn, &part, 1,
                               &(tc_send_params){.done = note_end, .user = &sent[n]}, &error);
    }
    assert_status(status, TC_E_AGAIN);
    assert_status(error.status, TC_E_AGAIN);
    free(sent[--n].bytes);
    assert_status(tc_send(p.ep, fn, "x", 1), TC_E_AGAIN); /* not before those */
    pair_resume(&p);
    pair_flush(p.ep);
    expect_ends(sent, n, TC_OK);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, n + 1);
    pair_close(&p);
}

/* Starts sends that cannot leave, as the target takes none; the first ones may. */
static void start_some(pair *p, tc_ifunc *fn, sending *sent, unsigned count)
{
    ended = 0;
    for (unsigned i = 0; i < count; i++) {
        const size_t size = i % 2 == 0 ? LARGE : 100;
        sent[i] = make(i + 1, size);
        start_whole(p->ep, fn, &sent[i], size);
    }
}

static void closing_ends_what_is_under_way(void **state)
{
    sending sent[10];
    pair p;
    unsigned lost = 0;
    (void)state;
    pair_open_as(&p, (const char *const[]){"close_timeout", "50ms", NULL}, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    pair_send_check(p.ep, fn, 0, 8);
    pair_flush(p.ep);
    pair_pause(&p);
    start_some(&p, fn, sent, 10);
    tc_ep_close(p.ep);
    p.ep = NULL;
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(sent[i].ends, 1);
        assert_true(sent[i].status == TC_OK || sent[i].status == TC_E_CLOSED);
        assert_true(lost == 0 || sent[i].status == TC_E_CLOSED);
        lost += sent[i].status != TC_OK;
        free(sent[i].bytes);
    }
    assert_true(lost > 0);
    pair_resume(&p);
    pair_close(&p);
}

static void a_peer_that_goes_ends_what_is_under_way(void **state)
{
    sending sent[10];
    pair p;
    tc_error error;
    (void)state;
    pair_open(&p, (const char *const[]){"close_timeout", "50ms", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    pair_send_check(p.ep, fn, 0, 8);
    pair_flush(p.ep);
    pair_pause(&p);
    start_some(&p, fn, sent, 10);
    server_stop(&p.server);
    tc_context_destroy(p.target);
    p.target = NULL;
    while (ended < 10)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    assert_true(sent[9].status != TC_OK);
    assert_int_equal(sent[9].status, tc_ep_error(p.ep, &error));
    const struct iovec part = {sent[9].bytes, 1};
    assert_int_equal(tc_send_start(p.ep, fn, &part, 1, NULL, &error), sent[9].status);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(sent[i].ends, 1);
        free(sent[i].bytes);
    }
    tc_context_destroy(p.source);
}

/* The bytes of the next send; the callback starts it. */
static struct {
    tc_ep *ep;
    tc_ifunc *fn;
    sending sent[50];
    unsigned begun;
} chain;

static void start_next(void *user, tc_status status)
{
    note_end(user, status);
    if (status != TC_OK || chain.begun == 50)
        return;
    const unsigned n = chain.begun++;
    chain.sent[n] = make(n, 64);
    const struct iovec part = {chain.sent[n].bytes, 64};
    assert_ok(tc_send_start(chain.ep, chain.fn, &part, 1,
                            &(tc_send_params){.done = start_next, .user = &chain.sent[n]},
                            NULL));
}

static void a_callback_starts_the_next_send(void **state)
{
    pair p;
    sending none = {.bytes = malloc(8)};
    (void)state;
    pair_open(&p, NULL);
    chain.ep = p.ep;
    chain.fn = pair_ifunc(&p, "check");
    ended = 0;
    start_next(&none, TC_OK);
    while (ended < 51)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 50);
    assert_int_equal(p.target_state.wrong, 0);
    for (unsigned i = 0; i < 50; i++)
        free(chain.sent[i].bytes);
    free(none.bytes);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_of_all_sizes_run_in_order_with_tc_send),
        cmocka_unit_test(parts_are_put_together),
        cmocka_unit_test(a_counter_counts_ends),
        cmocka_unit_test(a_full_queue_is_said),
        cmocka_unit_test(closing_ends_what_is_under_way),
        cmocka_unit_test(a_peer_that_goes_ends_what_is_under_way),
        cmocka_unit_test(a_callback_starts_the_next_send),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
