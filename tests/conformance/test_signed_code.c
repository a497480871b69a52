/* Code that is signed, sent to a target that asks for it. Sources trust no key: they choose
 * their own code. */
#include "../support/signed_pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "context/context_object.h"

#include <time.h>

#define DAY 86400

/* The library's clock of days: the test moves it. */
static _Atomic time_t later;

time_t time(time_t *now_out)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += later;
    if (now_out != NULL)
        *now_out = now.tv_sec;
    return now.tv_sec;
}

/* --- accepted code
 * --------------------------------------------------------------------------- */

STRICT_TEST(what_a_trusted_key_signed_runs)
{
    tc_ifunc *fn = signed_pair_good(s);
    signed_pair_expect_runs(s, s->pair.ep, fn);
    assert_string_equal(tc_ifunc_signer(fn), ""); /* the source trusts no key */
    pair_pause(&s->pair);
    assert_string_equal(tc_ifunc_signer(signed_pair_at_target(s, fn)), "alice");
    pair_resume(&s->pair);
    assert_int_equal(signed_pair_counter(s, TCI_CODE_UNTRUSTED), 0);
}

SIGNED_TEST(a_signature_comes_with_code_that_is_asked_for)
{
    signed_pair_open_with(s, (const char *const[]){"code_push", "no", NULL}, NULL, NULL);
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
}

/* Without the dictionary, in a form other than the signed bytes. */
SIGNED_TEST(another_form_of_the_same_content_is_signed_too)
{
    signed_pair_open_with(s, NULL, "dictionaries", "no");
    tc_ifunc *fn = signed_pair_good(s);
    signed_pair_expect_runs(s, s->pair.ep, fn);
}

STRICT_TEST(code_that_was_refused_runs_once_it_is_signed)
{
    tc_ifunc *fn = signing_open(s->pair.source, "check", NULL);
    signed_pair_expect_refused(s, fn, "not signed");
    assert_ptr_equal(signed_pair_good(s), fn);
    signed_pair_expect_runs(s, s->pair.ep, fn);
}

SIGNED_TEST(nobody_is_asked_where_no_signature_is_required)
{
    pair_open_as(&s->pair, NULL, (const char *const[]){"trust", s->keys.trust, NULL});
    signed_pair_expect_runs(s, s->pair.ep, signing_open(s->pair.source, "check", NULL));
}

/* With one slot for functions each message of the other one evicts the first one, and it comes
 * back with its signature. */
SIGNED_TEST(code_that_left_comes_back_with_its_signature)
{
    signed_pair_open_with(s, NULL, "functions_max", "1");
    tc_ifunc *check = signed_pair_good(s);
    tc_ifunc *doubled = signing_open_by(s->pair.source, "doubled", &s->keys.alice);
    for (int i = 0; i < 3; i++) {
        signed_pair_expect_runs(s, s->pair.ep, check);
        assert_ok(pair_send(s->pair.ep, doubled, "\0\0\0\0\0\0\0\0", 8));
        pair_flush(s->pair.ep);
        s->pair.target_state = (check_state){.next = s->pair.target_state.next};
    }
    assert_int_equal(tc_ep_refusal(s->pair.ep, NULL), 0);
    assert_true(signed_pair_counter(s, TCI_CODE_EVICTED) >= 3);
}

typedef struct third {
    tc_context *context;
    check_state state;
    tc_ep *ep; /* of the target's, that leads to it */
} third;

static unsigned progress_third(void *user)
{
    return tc_progress(((third *)user)->context);
}

/* The receiver sends it on unchanged. */
SIGNED_TEST(a_signature_travels_on)
{
    const char *const strict[] = {"trust", s->keys.trust, "require_signature", "yes", NULL};
    third last = {.context = test_context(strict)};
    tc_listener *listener;
    char host_port[32];
    server of_last;
    tc_error error = {0};
    pair_open_as(&s->pair, NULL, NULL); /* the one between trusts no key */
    tc_ifunc *fn = signed_pair_good(s);
    signed_pair_expect_runs(s, s->pair.ep, fn);
    tc_context_set_target_args(last.context, &last.state);
    must(tc_listener_open(last.context, "127.0.0.1:0", &listener, &error), &error, "listener");
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", tc_listener_port(listener));
    server_start(&of_last, progress_third, &last);
    pair_pause(&s->pair);
    must(tc_ep_connect(s->pair.target, host_port, PAIR_TIMEOUT_NS, &last.ep, &error), &error,
         "connect");
    pair_send_check(last.ep, signed_pair_at_target(s, fn), 0, 100);
    pair_flush(last.ep);
    assert_int_equal(tc_ep_refusal(last.ep, NULL), 0);
    tc_ep_close(last.ep);
    pair_resume(&s->pair);
    server_stop(&of_last);
    assert_int_equal(last.state.next, 1);
    assert_int_equal(last.state.wrong, 0);
    tc_context_destroy(last.context);
}

/* --- refused code ----------------------------------------------------------------------- */

STRICT_TEST(unsigned_code_is_refused_and_nothing_else)
{
    signed_pair_expect_refused(s, signing_open(s->pair.source, "echo", NULL), "echo: code");
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
    assert_int_equal(signed_pair_counter(s, TCI_CODE_UNTRUSTED), 1);
}

STRICT_TEST(an_unknown_key_does_not_count)
{
    tc_ifunc *fn = signing_open_by(s->pair.source, "echo", &s->keys.mallory);
    char id[TCI_KEY_ID_TEXT];
    tci_minisign_id_text(s->keys.mallory.public.id, id);
    signed_pair_expect_refused(s, fn, id);
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
}

/* Mallory claims that the key was Alice's. */
STRICT_TEST(a_key_that_lies_about_its_id_does_not_count)
{
    tci_minisign_secret liar = s->keys.mallory;
    memcpy(liar.public.id, s->keys.alice.public.id, sizeof liar.public.id);
    signed_pair_expect_refused(s, signing_open_by(s->pair.source, "echo", &liar),
                               "does not fit");
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
}

STRICT_TEST(a_signature_of_other_code_does_not_count)
{
    char of_check[TCI_MINISIGN_SIGNATURE_TEXT], of_echo[TCI_MINISIGN_SIGNATURE_TEXT];
    signing_sign(&s->keys.alice, "check", of_check);
    signing_sign(&s->keys.alice, "echo", of_echo);
    signed_pair_expect_refused(s, signing_open(s->pair.source, "echo", of_check),
                               "does not fit");
    signed_pair_expect_refused(s, signing_open(s->pair.source, "check", of_echo),
                               "does not fit");
}

SIGNED_TEST(a_key_that_is_over_does_not_count)
{
    signing_trust(&s->keys, "mallory", &s->keys.mallory, "not-after=2020-02-29\n");
    signed_pair_open_with(s, NULL, NULL, NULL);
    signed_pair_expect_refused(s, signing_open_by(s->pair.source, "echo", &s->keys.mallory),
                               "2020-02-29");
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
}

/* "not-after=2027-06-30\n", so many days from now. */
static void not_after(int days, char line[32])
{
    const time_t day = time(NULL) + days * DAY;
    struct tm utc;
    (void)strftime(line, 32, "not-after=%Y-%m-%d\n", gmtime_r(&day, &utc));
}

/* A sender after the last day is refused, and so is from then on one that was served before. */
SIGNED_TEST(a_key_that_ends_is_over_for_all)
{
    char line[32];
    not_after(1, line);
    signing_trust(&s->keys, "alice", &s->keys.alice, line);
    signed_pair_open_with(s, NULL, NULL, NULL);
    tc_ifunc *fn = signed_pair_good(s);
    signed_pair_expect_runs(s, s->pair.ep, fn);
    later = DAY / 2; /* the last day, or the one before */
    tc_ep *second = pair_connect(&s->pair);
    signed_pair_expect_runs(s, second, fn);
    later = 2 * DAY;
    tc_ep *newest = pair_connect(&s->pair);
    pair_send_check(newest, fn, 0, 10);
    signed_pair_expect_refusal(newest, 1, "which was good until");
    signed_pair_expect_refusal(second, 1, "which was good until");
    signed_pair_expect_refusal(s->pair.ep, 1, "which was good until");
    assert_int_equal(s->pair.target_state.next, 40);
    assert_int_equal(signed_pair_counter(s, TCI_CODE_UNTRUSTED), 3);
    later = 0;
    tc_ep_close(second);
    tc_ep_close(newest);
}

/* Code that comes along with every message asks the clock each time. */
SIGNED_TEST(a_key_that_ends_is_over_for_code_that_comes_again)
{
    char line[32];
    not_after(1, line);
    signing_trust(&s->keys, "alice", &s->keys.alice, line);
    signed_pair_open_with(s, NULL, NULL, NULL);
    tc_ifunc *fn = signed_pair_good(s);
    for (int i = 0; i < 3; i++)
        assert_ok(tc_send_uncached(s->pair.ep, fn, "", 0));
    pair_flush(s->pair.ep);
    later = 2 * DAY;
    assert_ok(tc_send_uncached(s->pair.ep, fn, "", 0));
    signed_pair_expect_refusal(s->pair.ep, 1, "which was good until");
    later = 0;
}

SIGNED_TEST(a_clock_that_was_wrong_is_asked_again)
{
    char line[32];
    not_after(-1, line);
    signing_trust(&s->keys, "alice", &s->keys.alice, line);
    signed_pair_open_with(s, NULL, NULL, NULL);
    signed_pair_expect_refused(s, signed_pair_good(s), "which was good until");
    later = -2 * DAY; /* the clock was set right, and the key is good still */
    tc_ep *second = pair_connect(&s->pair);
    signed_pair_expect_runs(s, second, signed_pair_good(s));
    later = 0;
    tc_ep_close(second);
}

SIGNED_TEST(a_key_signs_what_its_names_say)
{
    signing_trust(&s->keys, "alice", &s->keys.alice, "names=ch*,other\n");
    signed_pair_open_with(s, NULL, NULL, NULL);
    signed_pair_expect_refused(s, signing_open_by(s->pair.source, "echo", &s->keys.alice),
                               "names=ch*,other");
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s));
}

/* Under a key that may have this form run alone, the form that `runs` has, and not the
 * other. */
static void expect_form(const char *line, const char *runs, const char *other)
{
    signed_pair *s = signed_pair_begin();
    signing_trust(&s->keys, "alice", &s->keys.alice, line);
    signed_pair_open_with(s, NULL, "form", "auto");
    signed_pair_expect_refused(s, signing_open_by(s->pair.source, other, &s->keys.alice),
                               "the key that signed it has forms=");
    signed_pair_expect_runs(s, s->pair.ep,
                            signing_open_by(s->pair.source, runs, &s->keys.alice));
    signed_pair_expect_runs(s, s->pair.ep, signed_pair_good(s)); /* has both */
    assert_int_equal(signed_pair_counter(s, TCI_CODE_UNTRUSTED), 1);
    signed_pair_end(s);
}

TEST(a_key_has_the_forms_run_that_it_says)
{
    if (!TEST_WITH_LLVM)
        skip();
    expect_form("forms=image\n", "only_image", "only_bitcode");
    expect_form("forms=bitcode\n", "only_bitcode", "only_image");
}

SIGNED_TEST(options_that_exclude_each_other_are_named)
{
    signing_trust(&s->keys, "alice", &s->keys.alice, "forms=bitcode\n");
    signed_pair_open_with(s, NULL, "form", "image");
    signed_pair_expect_refused(s, signed_pair_good(s), "forms=bitcode");
}

STRICT_TEST(injected_code_is_refused)
{
    tc_ifunc *fn = signed_pair_good(s);
    assert_ok(tc_send_injected(s->pair.ep, fn, "x", 1));
    signed_pair_expect_refusal(s->pair.ep, 1, "injected code");
    assert_int_equal(s->pair.target_state.next, 0);
}
