/* A policy's text: its rules, their decisions, and the errors of a wrong one. */
#include "../support/test.h"
#include "engine/symbol_pattern.h"
#include "engine/symbol_policy.h"

#include <sys/stat.h>
#include <unistd.h>

static tci_symbol_policy *parse(const char *text)
{
    tci_symbol_policy *policy = NULL;
    tc_error err = {0};
    if (tci_symbol_policy_parse("rules", text, strlen(text), &policy, &err) != TC_OK)
        fail_msg("%s", err.text);
    return policy;
}

static void expect_wrong(const char *text, tc_status status, const char *message)
{
    tci_symbol_policy *policy = NULL;
    tc_error err = {0};
    assert_int_equal(tci_symbol_policy_parse("rules", text, strlen(text), &policy, &err),
                     status);
    assert_null(policy);
    assert_string_equal(err.text, message);
}

static bool allows(const tci_symbol_policy *policy, const char *signer, const char *library,
                   const char *symbol)
{
    tci_symbol_reason reason;
    return tci_symbol_policy_allows(tci_symbol_policy_section(policy, signer), library, symbol,
                                    &reason);
}

/* `reason` NULL: it is allowed. */
static void expect_reason(const tci_symbol_policy *policy, const char *signer,
                          const char *library, const char *symbol, const char *reason)
{
    tci_symbol_reason found = {"allowed"};
    bool allowed = tci_symbol_policy_allows(tci_symbol_policy_section(policy, signer), library,
                                            symbol, &found);
    assert_int_equal(allowed, reason == NULL);
    if (reason != NULL)
        assert_string_equal(found.text, reason);
}

TEST(patterns_match_names)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        {"", "", true},          {"", "a", false},          {"*", "", true},
        {"a*", "abc", true},     {"*c", "abc", true},       {"a*c", "abc", true},
        {"a*b", "abc", false},   {"?", "", false},          {"a?c", "abc", true},
        {"a?c", "ac", false},    {"*a*a*", "banana", true}, {"*ab*ab", "abab", true},
        {"*ab*ab", "ab", false}, {"str*", "mystr", false},  {"a", "ab", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(tci_symbol_pattern_matches(cases[i].pattern, cases[i].name),
                         cases[i].matches);
}

TEST(patterns_cover_patterns)
{
    assert_true(tci_symbol_pattern_covers("*", "str*"));
    assert_true(tci_symbol_pattern_covers("s*", "str*"));
    assert_true(tci_symbol_pattern_covers("s*r", "s?r"));
    assert_true(tci_symbol_pattern_covers("s?r", "str"));
    assert_false(tci_symbol_pattern_covers("str*", "s*"));
    assert_false(tci_symbol_pattern_covers("s?r", "s*r"));
    assert_false(tci_symbol_pattern_covers("str", "s?r"));
    assert_false(tci_symbol_pattern_covers("?", "*"));
    assert_false(tci_symbol_pattern_matches_library("?program", "@program"));
    assert_false(tci_symbol_pattern_matches_library("*m", "@program"));
    assert_true(tci_symbol_pattern_matches_library("*", "@program"));
    assert_true(tci_symbol_pattern_matches_library("@program", "@program"));
    assert_true(tci_symbol_pattern_covers_library("*", "@tchains"));
    assert_false(tci_symbol_pattern_covers_library("?tchains", "@tchains"));
}

/* The cost of many stars is bounded by the product of the lengths, not by their power. */
TEST(patterns_take_no_time)
{
    char name[4096];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(tci_symbol_pattern_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", name));
}

TEST(the_first_rule_that_matches_decides)
{
    tci_symbol_policy *policy = parse("# comment\n"
                                      "deny libc.so.6 strfry  # not this one\r\n"
                                      "allow libc.so.6\tstr* mem?py\n"
                                      "\n"
                                      "deny * secret_*\n"
                                      "allow @program *\n"
                                      "default deny");
    expect_reason(policy, "", "libc.so.6", "strlen", NULL);
    expect_reason(policy, "", "libc.so.6", "memcpy", NULL);
    expect_reason(policy, "", "libc.so.6", "strfry", "rules line 2: deny libc.so.6 strfry");
    expect_reason(policy, "", "libc.so.6", "memmove", "rules line 7: default deny");
    expect_reason(policy, "", "libc.so.60", "strlen", "rules line 7: default deny");
    expect_reason(policy, "", "@program", "anything", NULL);
    expect_reason(policy, "", "@program", "secret_key", "rules line 5: deny * secret_*");
    expect_reason(policy, "", "@tchains", "tc_send", "rules line 7: default deny");
    tci_symbol_policy_close(policy);
}

TEST(libraries_that_travel_have_names_of_their_own)
{
    tci_symbol_policy *policy = parse("deny tc:shelf shelf_put\n"
                                      "allow tc:sh* *\n"
                                      "allow shop *\n"
                                      "default deny");
    expect_reason(policy, "", "tc:shelf", "shelf_put", "rules line 1: deny tc:shelf shelf_put");
    expect_reason(policy, "", "tc:shelf", "shelf_count", NULL);
    expect_reason(policy, "", "tc:shop", "shop_open", NULL);
    expect_reason(policy, "", "shop", "shop_open", NULL);
    expect_reason(policy, "", "tc:kv", "kv_get", "rules line 4: default deny");
    expect_reason(policy, "", "shelf", "shelf_count", "rules line 4: default deny");
    tci_symbol_policy_close(policy);
}

TEST(nothing_is_allowed_that_no_rule_allows)
{
    tci_symbol_policy *policy = parse("");
    expect_reason(policy, "", "libc.so.6", "strlen", "rules has no rule that allows it");
    expect_reason(policy, "alice", "@tchains", "tc_send", "rules has no rule that allows it");
    tci_symbol_policy_close(policy);
    policy = parse("default allow\n");
    expect_reason(policy, "", "libc.so.6", "strlen", NULL);
    tci_symbol_policy_close(policy);
}

TEST(a_signer_has_a_section)
{
    tci_symbol_policy *policy = parse("allow * everybody\n"
                                      "[signer alice]\n"
                                      "allow * alices\n"
                                      "default deny\n"
                                      "[unsigned]\n"
                                      "[signer bob's key]\n"
                                      "default allow\n");
    assert_true(allows(policy, "carol", "l", "everybody"));
    assert_false(allows(policy, "carol", "l", "alices"));
    assert_true(allows(policy, "alice", "l", "alices"));
    expect_reason(policy, "alice", "l", "everybody", "rules line 4: default deny");
    expect_reason(policy, "", "l", "everybody",
                  "rules line 5: section [unsigned] has no rule that allows it");
    assert_false(allows(policy, "bob", "l", "any"));
    tci_symbol_policy_close(policy);
}

/* Names that would reach past every other rule. */
TEST(guarded_symbols_have_to_be_named)
{
    static const char *const some[] = {"dlsym",        "mprotect",      "system",
                                       "fork",         "_IO_proc_open", "dl_iterate_phdr",
                                       "_rtld_global", "pidfd_getfd",   "setns"};
    tci_symbol_policy *policy = parse("allow * *\ndefault allow\n");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        assert_false(allows(policy, "", "libc.so.6", some[i]));
    expect_reason(policy, "", "libc.so.6", "dlopen",
                  "rules does not allow it by name (allow LIBRARY dlopen)");
    assert_true(allows(policy, "", "libc.so.6", "dlclose"));
    tci_symbol_policy_close(policy);
    policy = parse("allow * _dl_*\nallow * _dl_argv\n");
    assert_true(allows(policy, "", "l", "_dl_argv") && !allows(policy, "", "l", "_dl_find"));
    tci_symbol_policy_close(policy);
    policy = parse("allow * *\nallow libc.so.* dlopen\n");
    assert_true(allows(policy, "", "libc.so.6", "dlopen"));
    assert_false(allows(policy, "", "libdl.so.2", "dlopen"));
    assert_false(allows(policy, "", "libc.so.6", "dlsym"));
    tci_symbol_policy_close(policy);
}

static void expect_opens(const char *text, const char *library, const char *reason)
{
    tci_symbol_reason found = {"opened"};
    tci_symbol_policy *policy = parse(text);
    bool opens =
        tci_symbol_policy_opens(tci_symbol_policy_section(policy, ""), library, &found);
    assert_int_equal(opens, reason == NULL);
    if (reason != NULL)
        assert_string_equal(found.text, reason);
    tci_symbol_policy_close(policy);
}

TEST(a_library_is_opened_for_what_it_may_give)
{
    expect_opens("allow libm.so.6 sin\n", "libm.so.6", NULL);
    expect_opens("allow libm.so.6 sin\n", "libz.so.1", "rules has no rule that allows it");
    expect_opens("deny libz.so.1 *\ndefault allow\n", "libz.so.1",
                 "rules line 1: deny libz.so.1 *");
    expect_opens("deny libz.so.1 gz*\ndefault allow\n", "libz.so.1", NULL);
    expect_opens("deny * *\n", "libz.so.1", "rules line 1: deny * *");
    expect_opens("allow libz.so.1 crc32\ndeny * *\n", "libz.so.1", NULL);
}

TEST(an_alias_is_what_a_rule_names)
{
    tci_symbol_reason reason;
    tci_symbol_policy *policy = parse("deny libc.so.6 getenv\n"
                                      "allow libc.so.6 plain\n"
                                      "deny libc.so.6 __*\n"
                                      "default allow\n");
    const tci_symbol_section *section = tci_symbol_policy_section(policy, "");
    assert_true(tci_symbol_policy_denies_alias(section, "libc.so.6", "env", "getenv", &reason));
    assert_string_equal(reason.text, "rules line 1: deny libc.so.6 getenv");
    assert_true(
        tci_symbol_policy_denies_alias(section, "libc.so.6", "_popen", "popen", &reason));
    assert_false(
        tci_symbol_policy_denies_alias(section, "libc.so.6", "plain", "getenv", &reason));
    assert_false(
        tci_symbol_policy_denies_alias(section, "libc.so.6", "write", "__write", &reason));
    assert_false(tci_symbol_policy_denies_alias(section, "other", "env", "getenv", &reason));
    tci_symbol_policy_close(policy);
}

TEST(what_is_wrong_is_named_with_its_line)
{
    expect_wrong("allow libc.so.6 str*\ndeny libc.so.6 str*\n", TC_E_INVALID,
                 "rules line 2: 'deny libc.so.6 str*' contradicts 'allow libc.so.6 str*' of "
                 "line 1");
    expect_wrong("allow a b\n\nallow a c b\n", TC_E_INVALID,
                 "rules line 3: 'allow a b' repeats 'allow a b' of line 1");
    expect_wrong("deny * dl*\nallow libc.so.6 dlopen\n", TC_E_INVALID,
                 "rules line 2: 'allow libc.so.6 dlopen' is never reached after 'deny * dl*' "
                 "of line 1");
    expect_wrong("default allow\ndefault allow\n", TC_E_INVALID,
                 "rules line 2: a second default, after line 1");
    expect_wrong("default maybe\n", TC_E_INVALID,
                 "rules line 1: expected 'default allow' or 'default deny'");
    expect_wrong("permit a b\n", TC_E_INVALID,
                 "rules line 1: 'permit' was found, expected allow, deny, default or [...]");
    expect_wrong("allow\n", TC_E_INVALID,
                 "rules line 1: '' is no library: a name, a pattern, @program or @tchains was "
                 "expected");
    expect_wrong("allow @process x\n", TC_E_INVALID,
                 "rules line 1: '@process' is no library: a name, a pattern, @program or "
                 "@tchains was expected");
    expect_wrong(
        "allow tc: x\n", TC_E_INVALID,
        "rules line 1: 'tc:' is no library: a name, a pattern, @program or @tchains was "
        "expected");
    expect_wrong(
        "allow tc:a:b x\n", TC_E_INVALID,
        "rules line 1: 'tc:a:b' is no library: a name, a pattern, @program or @tchains was "
        "expected");
    expect_wrong("allow libc.so.6 # none\n", TC_E_INVALID,
                 "rules line 1: 'allow libc.so.6' names no symbol");
    expect_wrong("allow libc.so.6 a/b\n", TC_E_INVALID,
                 "rules line 1: 'a/b' is no symbol or pattern");
    expect_wrong("[unsigned]\n[signer a]\n[unsigned]\n", TC_E_INVALID,
                 "rules line 3: this section began already at line 1");
    expect_wrong("[signer]\n", TC_E_INVALID,
                 "rules line 1: expected [unsigned] or [signer NAME]");
    expect_wrong("[signer a] b\n", TC_E_INVALID,
                 "rules line 1: expected [unsigned] or [signer NAME]");
}

TEST(sections_do_not_contradict_one_another)
{
    tci_symbol_policy *policy = parse("allow a b\n[unsigned]\ndeny a b\n[signer s]\nallow a b");
    assert_false(allows(policy, "", "a", "b"));
    assert_true(allows(policy, "s", "a", "b"));
    tci_symbol_policy_close(policy);
}

TEST(amounts_are_bounded)
{
    const size_t size = TCI_SYMBOL_POLICY_BYTES_MAX + 1;
    char *text = malloc(size);
    tci_symbol_policy *policy;
    tc_error err = {0};
    assert_non_null(text);
    memset(text, '\n', size);
    assert_status(tci_symbol_policy_parse("rules", text, size, &policy, &err), TC_E_TOO_LARGE);
    text[5] = '\0';
    assert_status(tci_symbol_policy_parse("rules", text, 10, &policy, &err), TC_E_INVALID);
    size_t used = 0;
    for (unsigned i = 0; i < TCI_SYMBOL_POLICY_SECTIONS_MAX; i++)
        used += (size_t)snprintf(text + used, size - used, "[signer s%u]\n", i);
    assert_status(tci_symbol_policy_parse("rules", text, used, &policy, &err), TC_E_TOO_LARGE);
    assert_string_equal(err.text, "rules line 256: more than 256 sections");
    memset(text, 'x', 300);
    memcpy(text, "allow a ", 8);
    assert_status(tci_symbol_policy_parse("rules", text, 300, &policy, &err), TC_E_INVALID);
    free(text);
}

/* --- the file ---------------------------------------------------------------------------- */

static char path[256], option[300];

static void write_file(const char *text, mode_t mode)
{
    (void)snprintf(path, sizeof path, "/tmp/tc_test_policy.%ld", (long)getpid());
    (void)snprintf(option, sizeof option, "@%s", path);
    (void)unlink(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

TEST(a_file_is_read)
{
    tci_symbol_policy *policy = NULL;
    tc_error err = {0};
    write_file("allow a b\n", 0644);
    assert_ok(tci_symbol_policy_open(option, &policy, &err));
    assert_true(allows(policy, "", "a", "b"));
    tci_symbol_policy_close(policy);
    assert_ok(tci_symbol_policy_open("", &policy, &err));
    assert_null(policy);
    (void)unlink(path);
}

static void expect_not_opened(const char *what, tc_status status, const char *part)
{
    tci_symbol_policy *policy = NULL;
    tc_error err = {0};
    assert_int_equal(tci_symbol_policy_open(what, &policy, &err), status);
    assert_null(policy);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err.text);
}

TEST(a_file_that_others_may_change_is_refused)
{
    write_file("allow a b\n", 0664);
    expect_not_opened(option, TC_E_INVALID, "has mode 0664");
    write_file("allow a b\n", 0646);
    expect_not_opened(option, TC_E_INVALID, "has mode 0646");
    write_file("allow a\n", 0600);
    expect_not_opened(option, TC_E_INVALID, "option symbols: ");
    (void)unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    expect_not_opened(option, TC_E_INVALID, "symbolic link");
    (void)unlink(path);
    expect_not_opened(option, TC_E_NOT_FOUND, path);
    expect_not_opened(path, TC_E_INVALID, "expected @FILE");
}

/* --- the manual -------------------------------------------------------------------------- */

static char *read_document(void)
{
    char *text = calloc(1, 65536);
    FILE *f = fopen(TEST_DOCUMENT, "r");
    assert_non_null(text);
    assert_non_null(f);
    assert_true(fread(text, 1, 65535, f) > 0);
    fclose(f);
    return text;
}

TEST(the_manuals_example_means_what_it_says)
{
    char *document = read_document();
    char *rules = strstr(document, "```policy\n");
    assert_non_null(rules);
    rules += strlen("```policy\n");
    *strstr(rules, "```") = '\0';
    tci_symbol_policy *policy = parse(rules);
    assert_true(allows(policy, "somebody", "libc.so.6", "strlen"));
    assert_false(allows(policy, "somebody", "libc.so.6", "getenv"));
    assert_false(allows(policy, "", "libc.so.6", "strlen"));
    assert_true(allows(policy, "operations", "libc.so.6", "mmap"));
    assert_false(allows(policy, "operations", "libc.so.6", "mprotect"));
    assert_false(allows(policy, "operations", "libc.so.6", "kill"));
    tci_symbol_policy_close(policy);
    free(document);
}

/* tests/layout/check_guarded_symbols.py checks that it is complete. */
TEST(the_manual_lists_what_must_be_named)
{
    char *document = read_document();
    tci_symbol_policy *policy = parse("default allow\n");
    char *list = strstr(document, "their very name:");
    assert_non_null(list);
    *strstr(list, "A star stands for") = '\0';
    unsigned count = 0;
    for (char *name = strchr(list, '`'), *end; name != NULL; name = strchr(end + 1, '`')) {
        end = strchr(++name, '`');
        assert_non_null(end);
        *end = '\0';
        if (end > name && end[-1] == '*')
            end[-1] = 'x';
        if (allows(policy, "", "libc.so.6", name))
            fail_msg("%s is allowed", name);
        count++;
    }
    assert_true(count > 100);
    tci_symbol_policy_close(policy);
    free(document);
}
