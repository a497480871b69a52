/* The symbol scope of one function: the contents of a .deps list, and the order in which
 * symbols are found. */
#include "engine_fixture.h"

#include "engine/library_set.h"

static int own_strlen(void)
{
    return 1;
}

static const tci_host_symbol host[] = {{"strlen", (void *)own_strlen},
                                       {"tc_test_only_here", (void *)1}};
static const tci_symbol_scope host_scope = {.host = host, .host_count = 2};
static const tci_symbol_scope nothing;

static void expect_refusal_of(const char *deps, size_t size, tc_status status, const char *part)
{
    tci_symbols *symbols = NULL;
    tc_error err = {0};
    assert_int_equal(tci_symbols_create(deps, size, &nothing, &symbols, &err), status);
    assert_null(symbols);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err.text);
}

TEST(host_symbols_come_first)
{
    tci_symbols *symbols;
    assert_ok(tci_symbols_create("", 0, &host_scope, &symbols, NULL));
    assert_ptr_equal(tci_symbols_resolve(symbols, "strlen"), (void *)own_strlen);
    assert_ptr_equal(tci_symbols_resolve(symbols, "tc_test_only_here"), (void *)1);
    assert_non_null(tci_symbols_resolve(symbols, "memcpy"));
    assert_null(tci_symbols_resolve(symbols, "tc_test_no_such_symbol"));
    assert_null(tci_symbols_resolve(symbols, ""));
    tci_symbols_destroy(symbols);
    tci_symbols_destroy(NULL);
}

TEST(libraries_answer_in_their_order)
{
    tci_symbols *ab = open_symbols("libtest_dep_a.so\nlibtest_dep_b.so\n");
    tci_symbols *ba = open_symbols("libtest_dep_b.so\nlibtest_dep_a.so");
    int (*from_a)(void) = (int (*)(void))tci_symbols_resolve(ab, "dep_answer");
    int (*from_b)(void) = (int (*)(void))tci_symbols_resolve(ba, "dep_answer");
    assert_int_equal(from_a(), 10);
    assert_int_equal(from_b(), 20);
    tci_symbols_destroy(ab);
    tci_symbols_destroy(ba);
}

TEST(libraries_are_private)
{
    tci_symbols *with = open_symbols("libtest_dep_a.so");
    tci_symbols *without = open_symbols("");
    assert_non_null(tci_symbols_resolve(with, "dep_answer"));
    assert_null(tci_symbols_resolve(without, "dep_answer"));
    tci_symbols_destroy(with);
    tci_symbols_destroy(without);
}

TEST(comments_and_blanks_do_not_count)
{
    static const char deps[] = "# libraries\n\n  \t\r\n libtest_dep_b.so \t# the second\r\n#";
    tci_symbols *symbols = open_symbols(deps);
    assert_non_null(tci_symbols_resolve(symbols, "dep_answer"));
    tci_symbols_destroy(symbols);
}

TEST(a_missing_library_is_named)
{
    static const char deps[] = "libtest_dep_a.so\nlibtc_no_such_library.so.7\n";
    expect_refusal_of(deps, sizeof deps - 1, TC_E_NO_LIBRARY, "libtc_no_such_library.so.7");
}

/* As a linker's trace lists them: libc.so is a linker script on Debian. */
TEST(a_scope_may_lack_libraries)
{
    static const tci_symbol_scope lenient = {.may_lack = true};
    static const char deps[] = "libtc_no_such_library.so.7\nlibtest_dep_a.so\n";
    char many[70 * sizeof "libtc_none.so\n"] = "";
    tci_symbols *symbols;
    tc_error err = {.text = "symbol tc_nobody is not defined"};
    assert_ok(tci_symbols_create(deps, sizeof deps - 1, &lenient, &symbols, NULL));
    assert_non_null(tci_symbols_resolve(symbols, "dep_answer"));
    assert_null(tci_symbols_resolve(symbols, "tc_nobody"));
    assert_int_equal(tci_symbols_explain(symbols, TC_E_UNRESOLVED, &err), TC_E_UNRESOLVED);
    assert_string_equal(err.text, "without libtc_no_such_library.so.7, which cannot be loaded: "
                                  "symbol tc_nobody is not defined");
    tci_symbols_destroy(symbols);
    assert_status(tci_symbols_create("../libm.so.6", 12, &lenient, &symbols, NULL),
                  TC_E_CORRUPT);
    for (int i = 0; i < 70; i++)
        strcat(many, "libtc_none.so\n");
    assert_status(tci_symbols_create(many, strlen(many), &lenient, &symbols, NULL),
                  TC_E_TOO_LARGE);
}

TEST(other_names_are_refused)
{
    static const char *const bad[] = {"/lib/x86_64-linux-gnu/libm.so.6",
                                      "../libevil.so",
                                      "lib m.so",
                                      "$ORIGIN/libm.so",
                                      "-lm",
                                      ".hidden.so",
                                      "lib\x01.so",
                                      "lib\xc3\xa4.so"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refusal_of(bad[i], strlen(bad[i]), TC_E_CORRUPT, "line 1");
    expect_refusal_of("libm.so.6\nlib\0.so\n", 18, TC_E_CORRUPT, "line 2");
}

TEST(lists_are_bounded)
{
    static char many[TCI_DEPS_BYTES_MAX + 1];
    for (int i = 0; i <= TCI_DEPS_MAX; i++)
        strcat(many, "libtest_dep_a.so\n");
    expect_refusal_of(many, strlen(many), TC_E_TOO_LARGE, "64");
    memset(many, '\n', sizeof many);
    expect_refusal_of(many, sizeof many, TC_E_TOO_LARGE, "65536");
    memset(many, 'x', 400);
    expect_refusal_of(many, 400, TC_E_TOO_LARGE, "255");
}

TEST(what_rests_takes_what_is_in_force_afterwards)
{
    tci_library old = {.title = "tc:shelf"}, new = {.title = "tc:shelf"};
    tci_library_set *set;
    tci_symbols *symbols;
    tc_error err;
    assert_ok(tci_library_set_create(&set, NULL));
    const tci_symbol_scope scope = {.libraries = set};
    assert_ok(tci_library_set_put(set, &old, NULL));
    assert_ok(tci_symbols_create("tc:shelf", 8, &scope, &symbols, NULL));
    tci_symbols_rest(symbols);
    assert_ok(tci_library_set_put(set, &new, NULL));
    assert_ptr_equal(tci_library_set_take_unused(set), &old);
    assert_ok(tci_symbols_resume(symbols, &err));
    assert_ptr_equal(tci_symbols_library(symbols, 0), &new);
    assert_null(tci_symbols_library(symbols, 1));
    tci_symbols_rest(symbols);
    tci_library_set_take_out(set, &new);
    assert_ptr_equal(tci_library_set_take_unused(set), &new);
    assert_null(tci_symbols_resolve(symbols, "shelf_put"));
    assert_status(tci_symbols_resume(symbols, &err), TC_E_ABSENT);
    assert_non_null(strstr(err.text, "tc:shelf is not at this node"));
    assert_null(tci_symbols_library(symbols, 0));
    tci_symbols_destroy(symbols);
    tci_library_set_destroy(set);
}
