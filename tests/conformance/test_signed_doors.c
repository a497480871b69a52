/* All other ways to run unsigned code, and the handling of signed code that is revoked. */
#include "../support/signed_pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"
#include "context/context_object.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* --- lists ------------------------------------------------------------------------------- */

static void hex_of_id(const tc_ifunc *fn, char out[TCI_CONTENT_ID_TEXT])
{
    tci_content_id_text(&fn->id, out);
}

SIGNED_TEST(only_code_of_the_list_runs)
{
    char id[TCI_CONTENT_ID_TEXT];
    tc_context *reader = test_context(NULL);
    hex_of_id(signing_open(reader, "check", NULL), id);
    signing_list(&s->keys, id);
    pair_open_as(&s->pair, NULL, (const char *const[]){"code_allow", s->keys.list, NULL});
    signed_pair_expect_runs(s, s->pair.ep, signing_open(s->pair.source, "check", NULL));
    signed_pair_expect_refused(s, signing_open(s->pair.source, "echo", NULL), "code_allow");
    tc_context_destroy(reader);
}

SIGNED_TEST(revoked_code_does_not_run_whoever_signed_it)
{
    char id[TCI_CONTENT_ID_TEXT];
    tc_context *reader = test_context(NULL);
    hex_of_id(signing_open(reader, "echo", NULL), id);
    signing_list(&s->keys, id);
    signed_pair_open_with(s, NULL, "code_revoked", s->keys.list);
    signed_pair_expect_refused(s, signing_open_by(s->pair.source, "echo", &s->keys.alice),
                               "code_revoked");
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
    tc_context_destroy(reader);
}

/* --- revocation -------------------------------------------------------------------------- */

static tc_status reload(signed_pair *s)
{
    tc_error error = {0};
    pair_pause(&s->pair);
    tc_status status = tc_context_reload_trust(s->pair.target, &error);
    pair_resume(&s->pair);
    return status;
}

STRICT_TEST(a_key_that_goes_takes_its_functions_along)
{
    tc_ifunc *fn = signed_pair_good(s);
    signed_pair_expect_runs(s, s->pair.ep, fn);
    signing_distrust(&s->keys, "alice");
    assert_ok(reload(s));
    signed_pair_expect_refusal(s->pair.ep, 1, "none of the 0");
    pair_pause(&s->pair);
    assert_null(signed_pair_at_target(s, fn)->unit);
    pair_resume(&s->pair);
    assert_status(pair_send(s->pair.ep, fn, "x", 1), TC_E_REFUSED);
    assert_ok(tc_ep_error(s->pair.ep, NULL));

    signing_trust(&s->keys, "alice", &s->keys.alice, "");
    assert_ok(reload(s));
    tc_ep *again = pair_connect(&s->pair);
    signed_pair_expect_runs(s, again, fn);
    tc_ep_close(again);
}

STRICT_TEST(a_folder_that_cannot_be_believed_opens_nothing)
{
    tc_ifunc *fn = signed_pair_good(s);
    signed_pair_expect_runs(s, s->pair.ep, fn);
    assert_int_equal(chmod(s->keys.trust, 0777), 0);
    assert_status(reload(s), TC_E_INVALID);
    signed_pair_expect_refusal(s->pair.ep, 1, "none of the 0");
}

/* --- the other doors --------------------------------------------------------------------- */

static void run_nothing(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    fail_msg("it ran");
}

STRICT_TEST(code_of_the_target_itself_needs_the_signature_as_well)
{
    pair_pause(&s->pair);
    tc_ifunc *own = signing_open(s->pair.target, "echo", NULL);
    assert_ok(tc_ifunc_use_local(own, run_nothing, NULL));
    pair_resume(&s->pair);
    signed_pair_expect_refused(s, signing_open(s->pair.source, "echo", NULL), "not signed");
}

/* The other direction: a target sends to the connecting side. */
static _Atomic(tc_ep *) accepted;

static void remember(void *user, tc_ep *ep, tc_ep_event event)
{
    (void)user;
    if (event == TC_EP_OPENED)
        atomic_store(&accepted, ep);
}

static void turn_both(signed_pair *s)
{
    (void)tc_progress(s->pair.target);
    (void)tc_progress(s->pair.source);
    sched_yield();
}

SIGNED_TEST(a_target_that_sends_is_asked_too)
{
    const char *const strict[] = {"trust", s->keys.trust, "require_signature", "yes", NULL};
    pair_open_as(&s->pair, strict, NULL);
    pair_pause(&s->pair);
    accepted = NULL;
    tc_context_set_ep_callback(s->pair.target, remember, NULL);
    pair_resume(&s->pair);
    tc_ep *ep = pair_connect(&s->pair);
    pair_pause(&s->pair);
    const uint64_t deadline = tci_clock_ns() + PAIR_TIMEOUT_NS;
    while (accepted == NULL && tci_clock_ns() < deadline)
        turn_both(s);
    tc_ep *const to = accepted; /* of this connection, or of the one before */
    assert_non_null(to);
    tc_ifunc *fn = signing_open(s->pair.target, "check", NULL);
    assert_ok(tc_send(to, fn, "x", 1));
    while (tc_ep_refusal(to, NULL) == 0 && tci_clock_ns() < deadline)
        turn_both(s);
    assert_int_equal(tc_ep_refusal(to, NULL), 1);
    assert_int_equal(s->pair.source_state.next + s->pair.source_state.wrong, 0);
    pair_resume(&s->pair);
    tc_ep_close(ep);
}

/* --- code that changes between its check and its use -------------------------------------- */

#define CHANGES 60

typedef struct changer {
    _Atomic(_Atomic uint8_t *) byte; /* of the archive, as the target sees it; NULL: not now */
    _Atomic unsigned changes;
    atomic_bool stop;
} changer;

static void *change(void *user)
{
    changer *c = user;
    while (!atomic_load(&c->stop)) {
        _Atomic uint8_t *byte = atomic_load(&c->byte);
        if (byte != NULL)
            (void)atomic_fetch_xor(byte, 1);
        if (byte == NULL || ++c->changes % 63 == 0)
            sched_yield();
    }
    return NULL;
}

/* A byte of the code that was sent last, in memory that both sides have. */
static _Atomic uint8_t *byte_of_code(tc_ep *ep, const tc_ifunc *fn, uint64_t before,
                                     size_t round)
{
    const uint8_t *code = fn->code + TCI_CODE_SECTION_BYTES;
    uint8_t *from = ep->tx.ring.ring + (before & ep->tx.ring.mask);
    uint8_t *found = memmem(from, (size_t)(ep->tx.ring.tail - before), code, fn->archive_size);
    assert_non_null(found);
    return (_Atomic uint8_t *)(found + round * fn->archive_size / CHANGES);
}

/* The source writes to the ring while the target reads it: the checked bytes are the ones that
 * run. */
static void expect_right_or_refused(signed_pair *s, changer *c, tc_ifunc *fn, size_t round)
{
    const uint64_t ran = s->pair.target_state.next;
    tc_ep *ep = pair_connect(&s->pair);
    uint8_t payload[11];
    check_fill(payload, ran, 10);
    pair_pause(&s->pair);
    const uint64_t before = ep->tx.ring.tail;
    assert_ok(tc_send(ep, fn, payload, 10));
    atomic_store(&c->byte, byte_of_code(ep, fn, before, round));
    for (const unsigned seen = c->changes; c->changes - seen < 100;)
        sched_yield();
    pair_resume(&s->pair);
    pair_flush(ep);
    atomic_store(&c->byte, NULL);
    assert_int_equal(s->pair.target_state.next - ran + tc_ep_refusal(ep, NULL), 1);
    assert_int_equal(s->pair.target_state.wrong, 0);
    tc_ep_close(ep);
}

TEST(code_is_what_was_checked)
{
    const char *delivery = getenv("EXPECTED_DELIVERY"), *form = getenv("TC_FORM");
    if (strcmp(delivery != NULL ? delivery : "", "direct") != 0 || form != NULL)
        skip(); /* nowhere else it stays the source's */
    if (TCI_RACES_WATCHED)
        skip(); /* it is a race, and meant to be */
    signed_pair *s = signed_pair_begin();
    changer c = {.byte = NULL};
    pthread_t thread;
    signed_pair_open_with(s, NULL, "functions_max", "1"); /* so that it comes each time */
    tc_ifunc *check = signed_pair_good(s);
    tc_ifunc *other = signing_open_by(s->pair.source, "echo", &s->keys.alice);
    assert_int_equal(pthread_create(&thread, NULL, change, &c), 0);
    for (size_t round = 0; round < CHANGES; round++) {
        expect_right_or_refused(s, &c, check, round);
        assert_ok(pair_send(s->pair.ep, other, "", 0));
        pair_flush(s->pair.ep);
    }
    atomic_store(&c.stop, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    const uint64_t refused = signed_pair_counter(s, TCI_CODE_REFUSED);
    print_message("%llu of %d refused\n", (unsigned long long)refused, CHANGES);
    assert_int_equal(s->pair.target_state.next + refused, 2 * CHANGES); /* echo counts, too */
    signed_pair_end(s);
}

SIGNED_TEST(local_code_is_asked_for_by_option)
{
    const char *const all[] = {"trust", s->keys.trust, "require_signature", "all", NULL};
    tc_context *ctx = test_context(all);
    char text[TCI_MINISIGN_SIGNATURE_TEXT];
    tc_error error = {0};
    tc_ifunc *fn;
    assert_status(signing_try_open(ctx, "check", NULL, &fn, &error), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "not signed"));
    signing_sign(&s->keys.mallory, "check", text);
    assert_status(signing_try_open(ctx, "check", text, &fn, &error), TC_E_REFUSED);
    signing_sign(&s->keys.alice, "check", text);
    fn = signing_open(ctx, "check", text);
    assert_string_equal(tc_ifunc_signer(fn), "alice");
    tc_context_destroy(ctx);
}
