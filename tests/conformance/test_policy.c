/* The option `symbols` at a target: the sender's error, for every form and way of code, and
 * other functions that go on. */
#include "../support/pair.h"
#include "../support/signing.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <sys/stat.h>
#include <unistd.h>
#include <tc/advanced.h>

static char folder[] = "/tmp/tc-test-XXXXXX", path[64], option[72], cache[64];

static int make_folder(void **state)
{
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof path, "%s/rules", folder);
    (void)snprintf(option, sizeof option, "@%s", path);
    (void)snprintf(cache, sizeof cache, "%s/cache", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void write_rules(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, 0600), 0);
}

static void open_under(pair *p, const char *rules)
{
    write_rules(rules);
    pair_open(p, (const char *const[]){"symbols", option, "cache_dir", cache, NULL});
}

static void expect_refusal(pair *p, tc_status status, const char *const *words)
{
    tc_error error = {0};
    pair_flush(p->ep);
    assert_int_equal(tc_ep_refusal(p->ep, &error), 1);
    if (error.status != status)
        fail_msg("%s: %s", tc_status_name(error.status), error.text);
    for (; *words != NULL; words++) {
        if (strstr(error.text, *words) == NULL)
            fail_msg("'%s' is not in: %s", *words, error.text);
    }
}

static void expect_check_refused(pair *p)
{
    char rule[128];
    (void)snprintf(rule, sizeof rule, "is denied: %s line 2: deny * usl*p", path);
    assert_ok(tc_send(p->ep, pair_ifunc(p, "check"), "x", 1));
    expect_refusal(p, TC_E_UNRESOLVED,
                   (const char *const[]){"check: symbol usleep of ", rule, NULL});
}

#define NO_SLEEP "# nobody sleeps\ndeny * usl*p\ndefault allow\n"

TEST(a_function_that_asks_for_too_much_is_refused)
{
    pair p;
    open_under(&p, NO_SLEEP);
    expect_check_refused(&p);
    assert_ok(tc_send(p.ep, pair_ifunc(&p, "doubled"), "ab", 2));
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 1);
    pair_close(&p);
}

/* Code stored while it was allowed is judged again when it is linked. */
TEST(a_stored_object_is_no_way_around)
{
    pair p;
    for (int round = 0; round < 2; round++) {
        open_under(&p, "default allow\n");
        pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, 10);
        pair_flush(p.ep);
        assert_int_equal(p.target_state.next, 1);
        pair_close(&p);
        open_under(&p, NO_SLEEP);
        expect_check_refused(&p);
        pair_close(&p);
    }
}

TEST(the_librarys_own_calls_can_be_denied)
{
    pair p;
    open_under(&p, "deny @tchains tc_self_endpoint\ndefault allow\n");
    assert_ok(tc_send(p.ep, pair_ifunc(&p, "check"), "x", 1));
    expect_refusal(&p, TC_E_UNRESOLVED,
                   (const char *const[]){"symbol tc_self_endpoint of @tchains is denied",
                                         "line 1: deny @tchains tc_self_endpoint", NULL});
    pair_close(&p);
}

TEST(injected_code_is_judged)
{
    pair p;
    const char *form = getenv("TC_FORM");
    open_under(&p, NO_SLEEP);
    if (form == NULL || strcmp(form, "bitcode") != 0) {
        assert_ok(tc_send_injected(p.ep, pair_ifunc(&p, "check"), "x", 1));
        expect_refusal(&p, TC_E_UNRESOLVED,
                       (const char *const[]){"injected code: symbol usleep of ",
                                             "line 2: deny * usl*p", NULL});
        assert_int_equal(p.target_state.next, 0);
    }
    pair_close(&p);
}

TEST(libraries_are_judged_before_they_are_opened)
{
    pair p;
    static char bytes[65536];
    char from[1024];
    tc_ifunc *fn;
    tc_error error = {0};
    open_under(&p, "deny libm.so.* *\ndefault allow\n");
    (void)snprintf(from, sizeof from, "%s/check.tca", getenv("TC_IFUNC_PATH"));
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    must(tc_ifunc_open_code(
             p.source,
             &(tc_code){.bytes = bytes, .size = size, .deps = "libm.so.6\n", .deps_size = 10},
             &fn, &error),
         &error, "open");
    assert_ok(tc_send(p.ep, fn, "x", 1));
    expect_refusal(&p, TC_E_NO_LIBRARY,
                   (const char *const[]){
                       "library libm.so.6 is denied: ", "line 1: deny libm.so.* *", NULL});
    pair_close(&p);
}

static void reload_trust(pair *p)
{
    tc_error error = {0};
    pair_pause(p);
    must(tc_context_reload_trust(p->target, &error), &error, "reload");
    pair_resume(p);
}

/* The same bytes are under other rules with another signer, whatever they were bound to
 * before. */
TEST(a_function_is_judged_by_its_signers_section)
{
    pair p;
    signing keys;
    char rule[128];
    signing_make(&keys);
    signing_trust(&keys, "alice", &keys.alice, "");
    write_rules("default allow\n[unsigned]\ndeny * usleep\ndefault allow\n");
    pair_open_as(&p, NULL, (const char *const[]){"symbols", option, "trust", keys.trust, NULL});
    (void)snprintf(rule, sizeof rule, "is denied: %s line 3: deny * usleep", path);
    assert_ok(tc_send(p.ep, pair_ifunc(&p, "check"), "x", 1));
    expect_refusal(&p, TC_E_UNRESOLVED, (const char *const[]){rule, NULL});

    tc_ifunc *fn = signing_open_by(p.source, "check", &keys.alice);
    for (uint64_t n = 0; n < 10; n++)
        pair_send_check(p.ep, fn, n, 10);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 10);
    assert_int_equal(p.target_state.wrong, 0);

    signing_distrust(&keys, "alice");
    reload_trust(&p);
    pair_send_check(p.ep, fn, 10, 10);
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, NULL), 2);
    assert_int_equal(p.target_state.next, 10);
    pair_close(&p);
    signing_remove(&keys);
}

TEST(a_policy_that_is_wrong_opens_no_context)
{
    tc_options *options;
    tc_context *ctx = NULL;
    tc_error error = {0};
    char text[256];
    write_rules("allow * a\ndeny * a\n");
    must(tc_options_create(&options, &error), &error, "options");
    must(tc_options_set(options, "symbols", option, &error), &error, "set");
    assert_status(tc_context_create(options, &ctx, &error), TC_E_INVALID);
    assert_null(ctx);
    (void)snprintf(text, sizeof text,
                   "option symbols: %s line 2: 'deny * a' contradicts 'allow * a' of line 1",
                   path);
    assert_string_equal(error.text, text);
    assert_int_equal(unlink(path), 0);
    assert_status(tc_context_create(options, &ctx, &error), TC_E_NOT_FOUND);
    tc_options_destroy(options);
}

int main(void)
{
    return test_run(make_folder, remove_folder);
}
