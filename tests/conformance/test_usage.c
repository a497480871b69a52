/* The usage of a target that peers use in all ways: each call and byte is counted once, under
 * its function, its peer and the peer's identity. It is read in this thread, while the target's
 * runs. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"

#include <tc/call.h>
#include <tc/usage.h>

#define ENTRIES_MAX 32u

typedef struct reading {
    tc_usage_entry entries[ENTRIES_MAX];
    char names[ENTRIES_MAX][64];
    char identities[ENTRIES_MAX][256];
    unsigned count;
} reading;

static void keep(void *user, const tc_usage_entry *entry)
{
    reading *r = user;
    assert_in_range(r->count, 0, ENTRIES_MAX - 1);
    assert_int_equal(entry->struct_size, sizeof *entry);
    (void)snprintf(r->names[r->count], sizeof r->names[0], "%s", entry->name);
    (void)snprintf(r->identities[r->count], sizeof r->identities[0], "%s", entry->identity);
    r->entries[r->count++] = *entry;
}

static reading read_usage(pair *p)
{
    reading r = {.count = 0};
    assert_status(tc_usage_visit(p->target, keep, &r), TC_OK);
    return r;
}

/* Returns the entry of that kind and name, or NULL. */
static const tc_usage_entry *find(const reading *r, tc_usage_kind kind, const char *name)
{
    for (unsigned i = 0; i < r->count; i++) {
        if (r->entries[i].kind == kind && (name == NULL || strcmp(r->names[i], name) == 0))
            return &r->entries[i];
    }
    return NULL;
}

static tc_usage_entry sum_of(const reading *r, tc_usage_kind kind)
{
    tc_usage_entry sum = {0};
    for (unsigned i = 0; i < r->count; i++) {
        if (r->entries[i].kind != kind)
            continue;
        sum.calls += r->entries[i].calls;
        sum.bytes += r->entries[i].bytes;
        sum.timed += r->entries[i].timed;
        sum.refusals += r->entries[i].refusals;
    }
    return sum;
}

static void expect_sums(pair *p, uint64_t calls, uint64_t bytes)
{
    const reading r = read_usage(p);
    for (unsigned kind = TC_USAGE_FUNCTION; kind <= TC_USAGE_IDENTITY; kind++) {
        const tc_usage_entry sum = sum_of(&r, (tc_usage_kind)kind);
        assert_int_equal(sum.calls, calls);
        assert_int_equal(sum.bytes, bytes);
    }
}

/* The target's thread counts a batch after its messages have run. */
static void settle(pair *p)
{
    pair_flush(p->ep);
    pair_pause(p);
    pair_resume(p);
}

static void open_with(pair *p, const char *usage)
{
    pair_open_as(p, NULL, (const char *const[]){"usage", usage, NULL});
}

/* --- counts ------------------------------------------------------------------------------ */

TEST(nothing_is_counted_unless_asked)
{
    pair p;
    reading r = {.count = 0};
    pair_open(&p, NULL);
    pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, 10);
    pair_flush(p.ep);
    assert_status(tc_usage_visit(p.target, keep, &r), TC_E_UNSUPPORTED);
    assert_int_equal(r.count, 0);
    pair_close(&p);
}

static void messages_are_counted_exactly(const char *usage)
{
    enum { MESSAGES = 3000 };
    pair p;
    uint64_t bytes = 0;
    open_with(&p, usage);
    assert_int_equal(read_usage(&p).count, 0);
    tc_ifunc *check = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < MESSAGES; n++) {
        pair_send_check(p.ep, check, n, n % 300 + 8);
        bytes += n % 300 + 8;
    }
    settle(&p);
    const reading r = read_usage(&p);
    const tc_usage_entry *function = find(&r, TC_USAGE_FUNCTION, "check");
    const tc_usage_entry *peer = find(&r, TC_USAGE_PEER, NULL);
    const tc_usage_entry *identity = find(&r, TC_USAGE_IDENTITY, NULL);
    assert_int_equal(r.count, 3);
    assert_int_equal(p.target_state.next, MESSAGES);
    assert_int_equal(function->calls, MESSAGES);
    assert_int_equal(function->bytes, bytes);
    assert_int_equal(function->loads, 1);
    assert_non_null(function->id);
    assert_int_equal(peer->calls, MESSAGES);
    assert_int_equal(peer->bytes, bytes);
    assert_in_range(peer->turns, 1, MESSAGES);
    assert_in_range(peer->turns_full, 0, peer->turns);
    assert_int_equal(identity->calls, MESSAGES);
    assert_int_equal(identity->peers, 1);
    pair_close(&p);
}

TEST(messages_are_counted)
{
    messages_are_counted_exactly("counts");
}

TEST(messages_are_counted_and_timed)
{
    messages_are_counted_exactly("times");
}

/* Payloads of twice these bytes. */
static void call_doubled(pair *p, tc_ifunc *doubled)
{
    tc_error error;
    if (tc_call(p->ep, doubled, "abcd", 4, NULL, NULL, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
}

TEST(calls_and_messages_in_turns_are_counted)
{
    enum { TIMES = 300 };
    pair p;
    uint64_t bytes = 0;
    open_with(&p, "counts");
    tc_ifunc *check = pair_ifunc(&p, "check"), *doubled = pair_ifunc(&p, "doubled");
    for (uint64_t n = 0; n < TIMES; n++) {
        pair_send_check(p.ep, check, n, 100);
        call_doubled(&p, doubled);
        bytes += 108;
    }
    settle(&p);
    const reading r = read_usage(&p);
    assert_int_equal(find(&r, TC_USAGE_FUNCTION, "check")->calls, TIMES);
    assert_int_equal(find(&r, TC_USAGE_FUNCTION, "check")->bytes, TIMES * 100u);
    assert_int_equal(find(&r, TC_USAGE_FUNCTION, "doubled")->calls, TIMES);
    assert_int_equal(find(&r, TC_USAGE_FUNCTION, "doubled")->bytes, TIMES * 8u);
    expect_sums(&p, 2 * TIMES, bytes);
    pair_close(&p);
}

TEST(large_payloads_are_counted_once)
{
    enum { BYTES = 1u << 20 };
    pair p;
    open_with(&p, "counts");
    pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, BYTES);
    settle(&p);
    expect_sums(&p, 1, BYTES);
    pair_close(&p);
}

TEST(refusals_have_a_peer)
{
    pair p;
    open_with(&p, "counts");
    (void)pair_send(p.ep, pair_ifunc(&p, "unbound"), "x", 1);
    settle(&p);
    const reading r = read_usage(&p);
    assert_int_equal(sum_of(&r, TC_USAGE_FUNCTION).refusals, 1);
    assert_int_equal(find(&r, TC_USAGE_FUNCTION, "unbound")->refusals, 1);
    assert_int_equal(find(&r, TC_USAGE_FUNCTION, "unbound")->calls, 0);
    assert_int_equal(find(&r, TC_USAGE_PEER, NULL)->refusals, 1);
    assert_int_equal(find(&r, TC_USAGE_IDENTITY, NULL)->refusals, 1);
    pair_close(&p);
}

/* --- peers ------------------------------------------------------------------------------- */

/* Waits until the target has freed the endpoints of peers that have gone. */
static reading await_peers(pair *p, uint32_t peers)
{
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    for (;;) {
        const reading r = read_usage(p);
        const tc_usage_entry *identity = find(&r, TC_USAGE_IDENTITY, NULL);
        if (identity != NULL && identity->peers == peers)
            return read_usage(p); /* the peer may have left between its part and this one */
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
        (void)tc_progress(p->source);
    }
}

TEST(peers_that_have_gone_stay_in_the_sum)
{
    pair p;
    open_with(&p, "times");
    tc_ifunc *check = pair_ifunc(&p, "check");
    tc_ep *second = pair_connect(&p);
    pair_send_check(p.ep, check, 0, 10);
    pair_flush(p.ep);
    pair_send_check(second, check, 1, 20);
    pair_flush(second);
    settle(&p);
    reading r = await_peers(&p, 2);
    assert_int_equal(sum_of(&r, TC_USAGE_PEER).calls, 2);
    tc_ep_close(second);
    r = await_peers(&p, 1);
    const tc_usage_entry *other = find(&r, TC_USAGE_PEER, "other");
    assert_non_null(other);
    assert_int_equal(other->is_other, 1);
    assert_int_equal(other->calls, 1);
    assert_int_equal(other->bytes, 20);
    assert_int_equal(other->timed, 1);
    assert_int_equal(sum_of(&r, TC_USAGE_PEER).calls, 2);
    assert_int_equal(sum_of(&r, TC_USAGE_IDENTITY).bytes, 30);
    pair_close(&p);
}

/* --- times ------------------------------------------------------------------------------- */

TEST(run_times_are_of_some_calls)
{
    enum { CALLS = 20000 };
    pair p;
    open_with(&p, "times");
    tc_ifunc *check = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < CALLS; n++)
        pair_send_check(p.ep, check, n, 64);
    settle(&p);
    const reading r = read_usage(&p);
    const tc_usage_entry *f = find(&r, TC_USAGE_FUNCTION, "check");
    assert_int_equal(f->calls, CALLS);
    /* 64 of each distance from 1 to 64, that is 448 of 8,128 calls, and one of 128 then. */
    assert_in_range(f->timed, 448 + 93 / 3, 448 + 93 * 3);
    assert_true(f->p50_ns > 0 && f->p50_ns <= f->p99_ns);
    assert_true(f->time_ns > f->p50_ns);
    assert_int_equal(sum_of(&r, TC_USAGE_PEER).timed, f->timed);
    assert_int_equal(sum_of(&r, TC_USAGE_IDENTITY).timed, f->timed);
    pair_close(&p);
}

/* --- functions that read ----------------------------------------------------------------- */

TEST(a_function_reads_what_was_counted_before)
{
    pair p;
    uint64_t sums[2] = {0, 0};
    size_t size = sizeof sums;
    tc_error error;
    open_with(&p, "counts");
    tc_ifunc *check = pair_ifunc(&p, "check"), *told = pair_ifunc(&p, "told_usage");
    for (uint64_t n = 0; n < 50; n++)
        pair_send_check(p.ep, check, n, 10);
    settle(&p);
    if (tc_call(p.ep, told, NULL, 0, sums, &size, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(size, sizeof sums);
    assert_in_range(sums[0], 50, 51);
    assert_int_equal(sums[1], 50);
    pair_close(&p);
}
