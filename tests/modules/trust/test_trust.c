/* Permission to run code: keys with their options, lists, and untrustworthy folders. */
#include "../../support/signing.h"
#include "../../support/test.h"

#include "base/clock.h"
#include "modules/trust/trust.h"

#include <sys/stat.h>
#include <tc/log.h>
#include <time.h>
#include <unistd.h>

typedef struct fixture {
    signing keys;
    tc_options *options;
    tci_trust trust;
} fixture;

static char logged[4096];

static void remember(void *user, tc_log_level level, const char *line)
{
    (void)user;
    size_t used = strlen(logged);
    if (level <= TC_LOG_WARN)
        (void)snprintf(logged + used, sizeof logged - used, "%s\n", line);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    logged[0] = '\0';
    tc_log_set_sink(remember, NULL);
    signing_make(&f->keys);
    *state = f;
    if (tc_options_create(&f->options, NULL) != TC_OK)
        return -1;
    return tc_options_set(f->options, "trust", f->keys.trust, NULL) == TC_OK ? 0 : -1;
}

static int teardown(void **state)
{
    fixture *f = *state;
    tci_trust_free(&f->trust);
    tc_options_destroy(f->options);
    signing_remove(&f->keys);
    free(f);
    tc_log_set_sink(NULL, NULL);
    return 0;
}

static void set(fixture *f, const char *name, const char *value)
{
    assert_ok(tc_options_set(f->options, name, value, NULL));
}

static void read_trust(fixture *f)
{
    tc_error error = {0};
    if (tci_trust_read(f->options, &f->trust, &error) != TC_OK)
        fail_msg("%s", error.text);
}

static void expect_error(fixture *f, tc_status expected, const char *text)
{
    tc_error error = {0};
    tc_status status = tci_trust_read(f->options, &f->trust, &error);
    if (status != expected || strstr(error.text, text) == NULL)
        fail_msg("%s: %s", tc_status_name(status), error.text);
}

static void expect_logged(const char *text)
{
    if (strstr(logged, text) == NULL)
        fail_msg("'%s' is not in: %s", text, logged);
}

/* --- keys -------------------------------------------------------------------------------- */

static tc_status parse(fixture *f, const char *lines, tci_trusted_key *key_out, tc_error *err)
{
    char text[TCI_MINISIGN_PUBLIC_TEXT + 1024];
    tci_minisign_public_text(&f->keys.alice.public, text);
    (void)strcat(text, lines);
    return tci_trusted_key_parse(text, strlen(text), key_out, err);
}

TEST_WITH(options_say_what_a_key_may, setup, teardown)
{
    tci_trusted_key key;
    assert_ok(parse(*state,
                    "# for the counters\n\nnames=count_*,so?t\nforms=image\r\n"
                    "not-after=2027-06-30\n",
                    &key, NULL));
    assert_true(tci_trusted_key_covers(&key, "count_words"));
    assert_true(tci_trusted_key_covers(&key, "sort"));
    assert_false(tci_trusted_key_covers(&key, "count"));
    assert_false(tci_trusted_key_covers(&key, "resort"));
    assert_int_equal(key.form, TCI_CHOICE_IMAGE);
    assert_false(tci_trusted_key_is_over(&key, 1814399999)); /* 2027-06-30 23:59:59 */
    assert_true(tci_trusted_key_is_over(&key, 1814400000));
    assert_int_equal(tci_trusted_key_days(&key, 1814400000 - 86400), 1);
}

TEST_WITH(a_key_without_options_may_sign_all, setup, teardown)
{
    tci_trusted_key key;
    assert_ok(parse(*state, "", &key, NULL));
    assert_true(tci_trusted_key_covers(&key, "anything"));
    assert_false(tci_trusted_key_is_over(&key, INT64_MAX));
    assert_ok(parse(*state, "forms=bitcode,image", &key, NULL));
    assert_int_equal(key.form, TCI_CHOICE_AUTO);
}

/* An unknown word could have been meant to forbid something. */
TEST_WITH(options_that_are_not_understood_are_refused, setup, teardown)
{
    static const struct {
        const char *lines, *text;
    } cases[] = {{"nomes=a\n", "line 3: 'nomes=a' is no option"},
                 {"names=a\nnames=b\n", "line 4: names is there twice"},
                 {"names=\n", "line 3: names='', expected patterns"},
                 {"names=a,,b\n", "expected patterns"},
                 {"names=a b\n", "expected patterns"},
                 {"names=[a]\n", "expected patterns"},
                 {"forms=\n", "expected image, bitcode"},
                 {"forms=images\n", "expected image, bitcode"},
                 {"not-after=2027-02-30\n", "expected a day"},
                 {"not-after=27-02-03\n", "expected a day"},
                 {"not-after=2027-06-30T\n", "expected a day"},
                 {"not-after=1969-12-31\n", "expected a day"},
                 {"\n\nx", "line 5: 'x'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tci_trusted_key key;
        tc_error error = {0};
        assert_status(parse(*state, cases[i].lines, &key, &error), TC_E_INVALID);
        if (strstr(error.text, cases[i].text) == NULL)
            fail_msg("'%s' is not in: %s", cases[i].text, error.text);
    }
}

/* --- folders ----------------------------------------------------------------------------- */

TEST_WITH(keys_are_found_by_their_id, setup, teardown)
{
    fixture *f = *state;
    signing_trust(&f->keys, "alice", &f->keys.alice, "");
    read_trust(f);
    const tci_trusted_key *key = tci_trust_find(&f->trust, f->keys.alice.public.id);
    assert_non_null(key);
    assert_string_equal(key->name, "alice");
    assert_null(tci_trust_find(&f->trust, f->keys.mallory.public.id));
    assert_string_equal(logged, "");
}

static void change_mode(fixture *f, const char *name, mode_t mode)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", f->keys.trust, name);
    assert_int_equal(chmod(path, mode), 0);
}

TEST_WITH(a_key_that_others_may_write_is_left_out, setup, teardown)
{
    fixture *f = *state;
    signing_trust(&f->keys, "alice", &f->keys.alice, "");
    signing_trust(&f->keys, "mallory", &f->keys.mallory, "");
    change_mode(f, "mallory.pub", 0666);
    read_trust(f);
    assert_int_equal(f->trust.count, 1);
    expect_logged("mallory.pub has mode 0666");
}

TEST_WITH(a_linked_key_is_left_out, setup, teardown)
{
    fixture *f = *state;
    char path[256];
    signing_trust(&f->keys, "alice", &f->keys.alice, "");
    (void)snprintf(path, sizeof path, "%s/linked.pub", f->keys.trust);
    assert_int_equal(symlink("alice.pub", path), 0);
    read_trust(f);
    assert_int_equal(f->trust.count, 1);
    expect_logged("linked.pub is a symbolic link");
}

TEST_WITH(garbage_is_left_out, setup, teardown)
{
    fixture *f = *state;
    signing_trust(&f->keys, "alice", &f->keys.alice, "");
    signing_trust(&f->keys, "bob", &f->keys.mallory, "names=a;b\n");
    signing_trust(&f->keys, "not a name", &f->keys.mallory, "");
    read_trust(f);
    assert_int_equal(f->trust.count, 1);
    expect_logged("names='a;b'");
    expect_logged("a key's name");
}

TEST_WITH(two_keys_of_one_id_are_left_out_both, setup, teardown)
{
    fixture *f = *state;
    signing_trust(&f->keys, "alice", &f->keys.alice, "names=a\n");
    signing_trust(&f->keys, "again", &f->keys.alice, "");
    read_trust(f);
    assert_int_equal(f->trust.count, 0);
    expect_logged("again and alice have one id; neither is trusted");
}

TEST_WITH(the_end_of_a_key_is_announced, setup, teardown)
{
    fixture *f = *state;
    char line[32];
    const time_t soon = time(NULL) + 7 * 86400;
    (void)strftime(line, sizeof line, "not-after=%Y-%m-%d\n", gmtime(&soon));
    signing_trust(&f->keys, "alice", &f->keys.alice, line);
    signing_trust(&f->keys, "mallory", &f->keys.mallory, "not-after=2020-01-01\n");
    read_trust(f);
    assert_int_equal(f->trust.count, 2);
    expect_logged("key alice is good until");
    expect_logged("key mallory was good until 2020-01-01");
}

TEST_WITH(a_folder_that_others_may_write_is_refused, setup, teardown)
{
    fixture *f = *state;
    assert_int_equal(chmod(f->keys.trust, 0777), 0);
    expect_error(f, TC_E_INVALID, "has mode 0777");
    set(f, "trust", "/nowhere/trusted.d");
    expect_error(f, TC_E_NOT_FOUND, "option trust: /nowhere/trusted.d does not exist");
}

TEST_WITH(options_that_contradict_are_refused, setup, teardown)
{
    fixture *f = *state;
    set(f, "require_signature", "yes");
    expect_error(f, TC_E_INVALID, "no file *.pub");
    signing_trust(&f->keys, "mallory", &f->keys.mallory, "nomes=a");
    expect_error(f, TC_E_INVALID, "'nomes=a' is no option");
    set(f, "trust", "");
    expect_error(f, TC_E_INVALID, "option trust is empty");
}

/* --- lists ------------------------------------------------------------------------------- */

TEST_WITH(lists_hold_three_kinds, setup, teardown)
{
    static const char text[] = "# what is wanted\n"
                               "0102030405060708\n\n"
                               "000102030405060708090a0b0c0d0e0f\r\n"
                               "000102030405060708090A0B0C0D0E0F"
                               "101112131415161718191a1b1c1d1e1f";
    static const uint8_t key[] = {8, 7, 6, 5, 4, 3, 2, 1}; /* as files have it */
    uint8_t bytes[32];
    tci_id_list list;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    assert_ok(tci_id_list_parse(text, strlen(text), &list, NULL));
    assert_int_equal(list.count, 3);
    assert_true(tci_id_list_has(&list, TCI_ID_KEY, key));
    assert_true(tci_id_list_has(&list, TCI_ID_CODE, bytes));
    assert_true(tci_id_list_has(&list, TCI_ID_CONTENT, bytes));
    bytes[31]++;
    assert_false(tci_id_list_has(&list, TCI_ID_CONTENT, bytes));
    tci_id_list_free(&list);
}

TEST_WITH(lines_that_are_no_ids_are_refused, setup, teardown)
{
    static const char *const texts[] = {"1", "010203040506070", "0102030405060708 x",
                                        "010203040506070g", "\n# a\n01020304050607081"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tci_id_list list;
        tc_error error = {0};
        assert_status(tci_id_list_parse(texts[i], strlen(texts[i]), &list, &error),
                      TC_E_INVALID);
        assert_non_null(strstr(error.text, i == 4 ? "line 3" : "line 1"));
    }
}

TEST_WITH(a_list_is_a_file, setup, teardown)
{
    fixture *f = *state;
    set(f, "code_allow", "0102030405060708");
    expect_error(f, TC_E_INVALID, "option code_allow: '0102030405060708', expected @FILE");
    set(f, "code_allow", f->keys.list);
    expect_error(f, TC_E_NOT_FOUND, "option code_allow");
    signing_list(&f->keys, "nothing\n");
    expect_error(f, TC_E_INVALID, "line 1: 'nothing'");
    signing_list(&f->keys, "");
    read_trust(f);
    assert_string_equal(f->trust.head.strict, "code_allow"); /* an empty list allows nothing */
}

/* --- reading again ----------------------------------------------------------------------- */

TEST_WITH(mistakes_close_doors, setup, teardown)
{
    fixture *f = *state;
    signing_trust(&f->keys, "alice", &f->keys.alice, "");
    signing_list(&f->keys, "0102030405060708\n");
    set(f, "code_revoked", f->keys.list);
    read_trust(f);
    signing_list(&f->keys, "garbage\n");
    assert_status(tci_trust_reload(f->options, &f->trust, NULL), TC_E_INVALID);
    assert_int_equal(f->trust.count, 0);
    assert_int_equal(f->trust.revoked.count, 1);
    signing_list(&f->keys, "");
    assert_ok(tci_trust_reload(f->options, &f->trust, NULL));
    assert_int_equal(f->trust.count, 1);
    assert_int_equal(f->trust.revoked.count, 0);
}

TEST_WITH(names_of_signers_are_remembered_up_to_a_number, setup, teardown)
{
    fixture *f = *state;
    tci_trusted_key key = {0};
    tci_signer_name *names = calloc(TCI_SIGNER_NAMES_MAX, sizeof *names);
    const char *name = NULL;
    tc_error error = {0};
    assert_non_null(names);
    for (unsigned i = 0; i < TCI_SIGNER_NAMES_MAX; i++) {
        (void)snprintf(names[i].text, sizeof names[i].text, "key%u", i);
        names[i].next = i > 0 ? &names[i - 1] : NULL;
    }
    f->trust.names = &names[TCI_SIGNER_NAMES_MAX - 1];
    (void)snprintf(key.name, sizeof key.name, "key0");
    assert_ok(tci_trust_name(&f->trust, &key, &name, &error));
    assert_ptr_equal(name, names[0].text);
    (void)snprintf(key.name, sizeof key.name, "another");
    assert_status(tci_trust_name(&f->trust, &key, &name, &error), TC_E_REFUSED);
    assert_string_equal(error.text, "key another is number 16385 that signed something here, "
                                    "expected 16384 at most");
    f->trust.names = names[TCI_SIGNER_NAMES_MAX - 1].next;
    assert_ok(tci_trust_name(&f->trust, &key, &name, &error));
    assert_string_equal(name, "another");
    tci_signer_name *own = f->trust.names;
    f->trust.names = NULL;
    free(own);
    free(names);
}
