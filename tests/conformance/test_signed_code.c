/* Code that is signed, sent to a target that asks for it, and every way to have other code run
 * there. Sources trust nobody: what they send is theirs to choose. */
#include "../support/pair.h"
#include "../support/signing.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"
#include "context/context_object.h"

#include <sched.h>
#include <sys/stat.h>

typedef struct scene {
    signing keys;
    pair pair;
} scene;

/* The target has these options, and those of the folder of keys. */
static void open_with(scene *s, const char *const *source, const char *option,
                      const char *value)
{
    const char *const options[] = {"trust", s->keys.trust, "require_signature", "yes", option,
                                   value,   NULL};
    pair_open_as(&s->pair, source, options);
}

static scene *begin(void)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    signing_make(&s->keys);
    signing_trust(&s->keys, "alice", &s->keys.alice, "");
    return s;
}

static scene *begin_strict(void)
{
    scene *s = begin();
    open_with(s, NULL, NULL, NULL);
    return s;
}

static void end(scene *s)
{
    if (s->pair.source != NULL)
        pair_close(&s->pair);
    signing_remove(&s->keys);
    free(s);
}

static void expect_refusal(tc_ep *ep, unsigned count, const char *text)
{
    tc_error error = {0};
    pair_flush(ep);
    assert_int_equal(tc_ep_refusal(ep, &error), count);
    if (error.status != TC_E_REFUSED || strstr(error.text, text) == NULL)
        fail_msg("%s: '%s' lacks '%s'", tc_status_name(error.status), error.text, text);
}

static void expect_refused(scene *s, tc_ifunc *fn, const char *text)
{
    const uint64_t before = s->pair.target_state.next;
    const unsigned count = tc_ep_refusal(s->pair.ep, NULL);
    pair_send_check(s->pair.ep, fn, 0, 10);
    expect_refusal(s->pair.ep, count + 1, text);
    assert_int_equal(s->pair.target_state.next, before);
    assert_int_equal(pair_send(s->pair.ep, fn, "x", 1), TC_E_REFUSED);
}

/* Of the check function, after as many as the target has seen. */
static void expect_runs(scene *s, tc_ep *ep, tc_ifunc *fn)
{
    const uint64_t first = s->pair.target_state.next;
    for (uint64_t n = first; n < first + 20; n++)
        pair_send_check(ep, fn, n, 100);
    pair_flush(ep);
    assert_int_equal(s->pair.target_state.next, first + 20);
    assert_int_equal(s->pair.target_state.wrong, 0);
}

static tc_ifunc *good(scene *s)
{
    return signing_open_by(s->pair.source, "check", &s->keys.alice);
}

static uint64_t counter(scene *s, tci_counter which)
{
    pair_pause(&s->pair);
    uint64_t value = s->pair.target->core.counters[which];
    pair_resume(&s->pair);
    return value;
}

/* What the target knows by that id. */
static tc_ifunc *at_target(scene *s, tc_ifunc *fn)
{
    return tci_registry_find(&s->pair.target->core.registry, &fn->id);
}

/* --- what runs --------------------------------------------------------------------------- */

static void what_a_trusted_key_signed_runs(void **state)
{
    scene *s = begin_strict();
    tc_ifunc *fn = good(s);
    expect_runs(s, s->pair.ep, fn);
    assert_string_equal(tc_ifunc_signer(fn), ""); /* the source trusts nobody */
    pair_pause(&s->pair);
    assert_string_equal(tc_ifunc_signer(at_target(s, fn)), "alice");
    pair_resume(&s->pair);
    assert_int_equal(counter(s, TCI_CODE_UNTRUSTED), 0);
    end(s);
}

static void a_signature_comes_with_code_that_is_asked_for(void **state)
{
    scene *s = begin();
    open_with(s, (const char *const[]){"code_push", "no", NULL}, NULL, NULL);
    expect_runs(s, s->pair.ep, good(s));
    end(s);
}

/* Without the dictionary, in a form that is not the one whose bytes were signed. */
static void another_form_of_the_same_content_is_signed_too(void **state)
{
    scene *s = begin();
    open_with(s, NULL, "dictionaries", "no");
    tc_ifunc *fn = good(s);
    expect_runs(s, s->pair.ep, fn);
    end(s);
}

static void code_that_was_refused_runs_once_it_is_signed(void **state)
{
    scene *s = begin_strict();
    tc_ifunc *fn = signing_open(s->pair.source, "check", NULL);
    expect_refused(s, fn, "not signed");
    assert_ptr_equal(good(s), fn);
    expect_runs(s, s->pair.ep, fn);
    end(s);
}

static void nobody_is_asked_where_no_signature_is_required(void **state)
{
    scene *s = begin();
    pair_open_as(&s->pair, NULL, (const char *const[]){"trust", s->keys.trust, NULL});
    expect_runs(s, s->pair.ep, signing_open(s->pair.source, "check", NULL));
    end(s);
}

/* With one place for functions each message of the other one drives the first one out, and it
 * comes back with its signature. */
static void code_that_left_comes_back_with_its_signature(void **state)
{
    scene *s = begin();
    open_with(s, NULL, "functions_max", "1");
    tc_ifunc *check = good(s);
    tc_ifunc *doubled = signing_open_by(s->pair.source, "doubled", &s->keys.alice);
    for (int i = 0; i < 3; i++) {
        expect_runs(s, s->pair.ep, check);
        assert_int_equal(pair_send(s->pair.ep, doubled, "\0\0\0\0\0\0\0\0", 8), TC_OK);
        pair_flush(s->pair.ep);
        s->pair.target_state = (check_state){.next = s->pair.target_state.next};
    }
    assert_int_equal(tc_ep_refusal(s->pair.ep, NULL), 0);
    assert_true(counter(s, TCI_CODE_EVICTED) >= 3);
    end(s);
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

/* Whoever got it sends it on as it is. */
static void a_signature_travels_on(void **state)
{
    scene *s = begin();
    const char *const strict[] = {"trust", s->keys.trust, "require_signature", "yes", NULL};
    third last = {.context = test_context(strict)};
    tc_listener *listener;
    char host_port[32];
    server of_last;
    tc_error error = {0};
    pair_open_as(&s->pair, NULL, NULL); /* the one between trusts nobody */
    tc_ifunc *fn = good(s);
    expect_runs(s, s->pair.ep, fn);
    tc_context_set_target_args(last.context, &last.state);
    must(tc_listener_open(last.context, "127.0.0.1:0", &listener, &error), &error, "listener");
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", tc_listener_port(listener));
    server_start(&of_last, progress_third, &last);
    pair_pause(&s->pair);
    must(tc_ep_connect(s->pair.target, host_port, PAIR_TIMEOUT_NS, &last.ep, &error), &error,
         "connect");
    pair_send_check(last.ep, at_target(s, fn), 0, 100);
    pair_flush(last.ep);
    assert_int_equal(tc_ep_refusal(last.ep, NULL), 0);
    tc_ep_close(last.ep);
    pair_resume(&s->pair);
    server_stop(&of_last);
    assert_int_equal(last.state.next, 1);
    assert_int_equal(last.state.wrong, 0);
    tc_context_destroy(last.context);
    end(s);
}

/* --- what does not ----------------------------------------------------------------------- */

static void unsigned_code_is_refused_and_nothing_else(void **state)
{
    scene *s = begin_strict();
    expect_refused(s, signing_open(s->pair.source, "echo", NULL), "echo: code");
    expect_runs(s, s->pair.ep, good(s));
    assert_int_equal(counter(s, TCI_CODE_UNTRUSTED), 1);
    end(s);
}

static void an_unknown_key_does_not_count(void **state)
{
    scene *s = begin_strict();
    tc_ifunc *fn = signing_open_by(s->pair.source, "echo", &s->keys.mallory);
    char id[TCI_KEY_ID_TEXT];
    tci_minisign_id_text(s->keys.mallory.public.id, id);
    expect_refused(s, fn, id);
    expect_runs(s, s->pair.ep, good(s));
    end(s);
}

/* Mallory says that the key was Alice's. */
static void a_key_that_lies_about_its_id_does_not_count(void **state)
{
    scene *s = begin_strict();
    tci_minisign_secret liar = s->keys.mallory;
    memcpy(liar.public.id, s->keys.alice.public.id, sizeof liar.public.id);
    expect_refused(s, signing_open_by(s->pair.source, "echo", &liar), "does not fit");
    expect_runs(s, s->pair.ep, good(s));
    end(s);
}

static void a_signature_of_other_code_does_not_count(void **state)
{
    scene *s = begin_strict();
    char of_check[TCI_MINISIGN_SIGNATURE_TEXT], of_echo[TCI_MINISIGN_SIGNATURE_TEXT];
    signing_sign(&s->keys.alice, "check", of_check);
    signing_sign(&s->keys.alice, "echo", of_echo);
    expect_refused(s, signing_open(s->pair.source, "echo", of_check), "does not fit");
    expect_refused(s, signing_open(s->pair.source, "check", of_echo), "does not fit");
    end(s);
}

static void a_key_that_is_over_does_not_count(void **state)
{
    scene *s = begin();
    signing_trust(&s->keys, "mallory", &s->keys.mallory, "not-after=2020-02-29\n");
    open_with(s, NULL, NULL, NULL);
    expect_refused(s, signing_open_by(s->pair.source, "echo", &s->keys.mallory), "2020-02-29");
    expect_runs(s, s->pair.ep, good(s));
    end(s);
}

static void a_key_signs_what_its_names_say(void **state)
{
    scene *s = begin();
    signing_trust(&s->keys, "alice", &s->keys.alice, "names=ch*,other\n");
    open_with(s, NULL, NULL, NULL);
    expect_refused(s, signing_open_by(s->pair.source, "echo", &s->keys.alice),
                   "names=ch*,other");
    expect_runs(s, s->pair.ep, good(s));
    end(s);
}

static void options_that_exclude_each_other_are_named(void **state)
{
    scene *s = begin();
    signing_trust(&s->keys, "alice", &s->keys.alice, "forms=bitcode\n");
    open_with(s, NULL, "form", "image");
    expect_refused(s, good(s), "forms=bitcode");
    end(s);
}

static void injected_code_is_refused(void **state)
{
    scene *s = begin_strict();
    tc_ifunc *fn = good(s);
    assert_int_equal(tc_send_injected(s->pair.ep, fn, "x", 1), TC_OK);
    expect_refusal(s->pair.ep, 1, "injected code");
    assert_int_equal(s->pair.target_state.next, 0);
    end(s);
}

/* --- lists ------------------------------------------------------------------------------- */

static void hex_of_id(const tc_ifunc *fn, char out[TCI_CONTENT_ID_TEXT])
{
    tci_content_id_text(&fn->id, out);
}

static void only_code_of_the_list_runs(void **state)
{
    scene *s = begin();
    char id[TCI_CONTENT_ID_TEXT];
    tc_context *reader = test_context(NULL);
    hex_of_id(signing_open(reader, "check", NULL), id);
    signing_list(&s->keys, id);
    pair_open_as(&s->pair, NULL, (const char *const[]){"code_allow", s->keys.list, NULL});
    expect_runs(s, s->pair.ep, signing_open(s->pair.source, "check", NULL));
    expect_refused(s, signing_open(s->pair.source, "echo", NULL), "code_allow");
    tc_context_destroy(reader);
    end(s);
}

static void revoked_code_does_not_run_whoever_signed_it(void **state)
{
    scene *s = begin();
    char id[TCI_CONTENT_ID_TEXT];
    tc_context *reader = test_context(NULL);
    hex_of_id(signing_open(reader, "echo", NULL), id);
    signing_list(&s->keys, id);
    open_with(s, NULL, "code_revoked", s->keys.list);
    expect_refused(s, signing_open_by(s->pair.source, "echo", &s->keys.alice), "code_revoked");
    expect_runs(s, s->pair.ep, good(s));
    tc_context_destroy(reader);
    end(s);
}

/* --- revocation -------------------------------------------------------------------------- */

static tc_status reload(scene *s)
{
    tc_error error = {0};
    pair_pause(&s->pair);
    tc_status status = tc_context_reload_trust(s->pair.target, &error);
    pair_resume(&s->pair);
    return status;
}

static void a_key_that_goes_takes_its_functions_along(void **state)
{
    scene *s = begin_strict();
    tc_ifunc *fn = good(s);
    expect_runs(s, s->pair.ep, fn);
    signing_distrust(&s->keys, "alice");
    assert_int_equal(reload(s), TC_OK);
    expect_refusal(s->pair.ep, 1, "none of the 0");
    pair_pause(&s->pair);
    assert_null(at_target(s, fn)->unit);
    pair_resume(&s->pair);
    assert_int_equal(pair_send(s->pair.ep, fn, "x", 1), TC_E_REFUSED);
    assert_int_equal(tc_ep_error(s->pair.ep, NULL), TC_OK);

    signing_trust(&s->keys, "alice", &s->keys.alice, "");
    assert_int_equal(reload(s), TC_OK);
    tc_ep *again = pair_connect(&s->pair);
    expect_runs(s, again, fn);
    tc_ep_close(again);
    end(s);
}

static void a_folder_that_cannot_be_believed_opens_nothing(void **state)
{
    scene *s = begin_strict();
    tc_ifunc *fn = good(s);
    expect_runs(s, s->pair.ep, fn);
    assert_int_equal(chmod(s->keys.trust, 0777), 0);
    assert_int_equal(reload(s), TC_E_INVALID);
    expect_refusal(s->pair.ep, 1, "none of the 0");
    end(s);
}

/* --- the other doors --------------------------------------------------------------------- */

static void run_nothing(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    fail_msg("it ran");
}

static void code_of_the_target_itself_needs_the_signature_as_well(void **state)
{
    scene *s = begin_strict();
    pair_pause(&s->pair);
    tc_ifunc *own = signing_open(s->pair.target, "echo", NULL);
    assert_int_equal(tc_ifunc_use_local(own, run_nothing), TC_OK);
    pair_resume(&s->pair);
    expect_refused(s, signing_open(s->pair.source, "echo", NULL), "not signed");
    end(s);
}

/* The other direction: a target sends to who connected. */
static tc_ep *accepted;

static void remember(void *user, tc_ep *ep, tc_ep_event event)
{
    (void)user;
    if (event == TC_EP_OPENED)
        accepted = ep;
}

static void turn_both(scene *s)
{
    (void)tc_progress(s->pair.target);
    (void)tc_progress(s->pair.source);
    sched_yield();
}

static void a_target_that_sends_is_asked_too(void **state)
{
    scene *s = begin();
    const char *const strict[] = {"trust", s->keys.trust, "require_signature", "yes", NULL};
    pair_open_as(&s->pair, strict, NULL);
    pair_pause(&s->pair);
    tc_context_set_ep_callback(s->pair.target, remember, NULL);
    pair_resume(&s->pair);
    accepted = NULL;
    tc_ep *ep = pair_connect(&s->pair);
    pair_pause(&s->pair);
    const uint64_t deadline = tci_clock_ns() + PAIR_TIMEOUT_NS;
    while (accepted == NULL && tci_clock_ns() < deadline)
        turn_both(s);
    tc_ep *const to = accepted; /* of this connection, or of the one before */
    assert_non_null(to);
    tc_ifunc *fn = signing_open(s->pair.target, "check", NULL);
    assert_int_equal(tc_send(to, fn, "x", 1), TC_OK);
    while (tc_ep_refusal(to, NULL) == 0 && tci_clock_ns() < deadline)
        turn_both(s);
    assert_int_equal(tc_ep_refusal(to, NULL), 1);
    assert_int_equal(s->pair.source_state.next + s->pair.source_state.wrong, 0);
    pair_resume(&s->pair);
    tc_ep_close(ep);
    end(s);
}

static void local_code_is_asked_for_by_option(void **state)
{
    scene *s = begin();
    const char *const all[] = {"trust", s->keys.trust, "require_signature", "all", NULL};
    tc_context *ctx = test_context(all);
    char text[TCI_MINISIGN_SIGNATURE_TEXT];
    tc_error error = {0};
    tc_ifunc *fn;
    assert_int_equal(signing_try_open(ctx, "check", NULL, &fn, &error), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "not signed"));
    signing_sign(&s->keys.mallory, "check", text);
    assert_int_equal(signing_try_open(ctx, "check", text, &fn, &error), TC_E_REFUSED);
    signing_sign(&s->keys.alice, "check", text);
    fn = signing_open(ctx, "check", text);
    assert_string_equal(tc_ifunc_signer(fn), "alice");
    tc_context_destroy(ctx);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_trusted_key_signed_runs),
        cmocka_unit_test(a_signature_comes_with_code_that_is_asked_for),
        cmocka_unit_test(another_form_of_the_same_content_is_signed_too),
        cmocka_unit_test(code_that_was_refused_runs_once_it_is_signed),
        cmocka_unit_test(code_that_left_comes_back_with_its_signature),
        cmocka_unit_test(a_signature_travels_on),
        cmocka_unit_test(nobody_is_asked_where_no_signature_is_required),
        cmocka_unit_test(unsigned_code_is_refused_and_nothing_else),
        cmocka_unit_test(an_unknown_key_does_not_count),
        cmocka_unit_test(a_key_that_lies_about_its_id_does_not_count),
        cmocka_unit_test(a_signature_of_other_code_does_not_count),
        cmocka_unit_test(a_key_that_is_over_does_not_count),
        cmocka_unit_test(a_key_signs_what_its_names_say),
        cmocka_unit_test(options_that_exclude_each_other_are_named),
        cmocka_unit_test(injected_code_is_refused),
        cmocka_unit_test(only_code_of_the_list_runs),
        cmocka_unit_test(revoked_code_does_not_run_whoever_signed_it),
        cmocka_unit_test(a_key_that_goes_takes_its_functions_along),
        cmocka_unit_test(a_folder_that_cannot_be_believed_opens_nothing),
        cmocka_unit_test(code_of_the_target_itself_needs_the_signature_as_well),
        cmocka_unit_test(a_target_that_sends_is_asked_too),
        cmocka_unit_test(local_code_is_asked_for_by_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
