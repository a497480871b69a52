/* Symbols that a policy lets a function bind: relocations, aliases, ifuncs, weak references,
 * libraries. Once for images and once for bitcode, with the same result. */
#include "engine_fixture.h"

#include "base/error_text.h"

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define GUARDED "libtest_guarded.so"

static tci_symbols *open_under(const char *text, const char *deps)
{
    under_policy(text);
    tci_symbols *symbols = open_symbols(deps);
    return symbols;
}

static void close_under(tci_symbols *symbols)
{
    tci_symbols_destroy(symbols);
    under_policy(NULL);
}

/* `part` NULL: it may be bound. */
static void expect_bound(tci_symbols *symbols, const char *symbol, const char *part)
{
    tc_error err = {0};
    void *address = tci_symbols_resolve(symbols, symbol);
    if (part == NULL) {
        assert_non_null(address);
        return;
    }
    assert_null(address);
    tci_error_fill(&err, TC_E_UNRESOLVED, "nothing was denied");
    assert_int_equal(tci_symbols_explain(symbols, TC_E_UNRESOLVED, &err), TC_E_UNRESOLVED);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err.text);
}

static void expect_unopened(const char *text, const char *deps, const char *part)
{
    tci_symbols *symbols = NULL;
    tc_error err = {0};
    under_policy(text);
    assert_status(try_symbols(deps, &symbols, &err), TC_E_NO_LIBRARY);
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err.text);
    under_policy(NULL);
}

/* First of all tests: no other test may have opened it. */
static void a_library_that_is_denied_runs_no_constructor(void **state)
{
    unsetenv("TC_TEST_GUARDED_OPENED");
    expect_unopened("deny libtest_g* *\ndefault allow\n", GUARDED,
                    "library " GUARDED " is denied: rules line 1: deny libtest_g* *");
    expect_unopened("allow libc.so.6 *\n", GUARDED, "rules has no rule that allows it");
    assert_null(getenv("TC_TEST_GUARDED_OPENED"));
    close_under(open_under("allow " GUARDED " guarded_answer\n", GUARDED));
    assert_non_null(getenv("TC_TEST_GUARDED_OPENED"));
}

static void no_resolver_of_a_denied_ifunc_runs(void **state)
{
    tci_symbols *symbols = open_under("deny * guarded_chosen\nallow " GUARDED " *\n", GUARDED);
    int (*resolved)(void) = (int (*)(void))tci_symbols_resolve(symbols, "guarded_resolved");
    assert_non_null(resolved);
    int before = resolved();
    expect_bound(symbols, "guarded_chosen",
                 "symbol guarded_chosen of " GUARDED
                 " is denied: rules line 1: deny * guarded_chosen");
    assert_int_equal(resolved(), before);
    close_under(symbols);
    symbols = open_under("allow " GUARDED " *\n", GUARDED);
    resolved = (int (*)(void))tci_symbols_resolve(symbols, "guarded_resolved");
    before = resolved();
    int (*chosen)(void) = (int (*)(void))tci_symbols_resolve(symbols, "guarded_chosen");
    assert_non_null(chosen);
    assert_int_equal(chosen(), 42);
    assert_int_equal(resolved(), before + 1);
    close_under(symbols);
}

static void another_name_of_denied_code_is_denied(void **state)
{
    tci_symbols *symbols = open_under("deny * guarded_answer\nallow " GUARDED " *\n", GUARDED);
    expect_bound(symbols, "guarded_other_name",
                 "symbol guarded_other_name of " GUARDED ", which guarded_answer names too, is "
                 "denied: rules line 1");
    close_under(symbols);
    symbols = open_under("default allow\n", GUARDED);
    expect_bound(symbols, "guarded_other_name", NULL);
    expect_bound(symbols, "guarded_words",
                 ", which wordexp names too, is denied: rules does not allow it by name");
    close_under(symbols);
    symbols = open_under("allow " GUARDED " guarded_words\n", GUARDED);
    expect_bound(symbols, "guarded_words", NULL);
    close_under(symbols);
}

static void a_rule_is_for_a_library(void **state)
{
    tci_symbols *symbols =
        open_under("allow libtest_dep_b.so dep_*\nallow libtest_dep_a.so dep_variable\n",
                   "libtest_dep_a.so\nlibtest_dep_b.so");
    expect_bound(symbols, "dep_variable", NULL);
    expect_bound(symbols, "dep_answer", "symbol dep_answer of libtest_dep_a.so is denied");
    expect_bound(symbols, "tc_test_apply", "symbol tc_test_apply of @tchains is denied");
    close_under(symbols);
    symbols = open_under("allow @tchains tc_test_apply\n", "");
    expect_bound(symbols, "tc_test_apply", NULL);
    expect_bound(symbols, "tc_no_such_symbol", "nothing was denied");
    close_under(symbols);
}

static void a_symbol_with_a_prototype_is_judged_by_its_name(void **state)
{
    tci_symbols *symbols = open_under("deny * guarded_answer\nallow " GUARDED " *\n", GUARDED);
    expect_bound(symbols, "guarded_answer()->i32",
                 "symbol guarded_answer of " GUARDED " is denied: rules line 1");
    expect_bound(symbols, "guarded_other_name()->i32",
                 "symbol guarded_other_name of " GUARDED ", which guarded_answer names too");
    close_under(symbols);
    symbols = open_under("default allow\n", GUARDED);
    expect_bound(symbols, "guarded_answer()->i32", NULL);
    expect_bound(symbols, "guarded_answer(i33)", "nothing was denied"); /* another name */
    expect_bound(symbols, "system(text)->i32", "is denied: rules does not allow it by name");
    close_under(symbols);
}

static void what_finds_symbols_at_run_time_is_denied(void **state)
{
    static const char *const names[] = {"dlopen",  "dlsym",  "dlvsym", "mprotect",
                                        "system",  "execve", "fork",   "__fork",
                                        "syscall", "clone",  "__clone"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tci_symbols *symbols = open_under("allow * *\ndefault allow\n", "");
        expect_bound(symbols, names[i], names[i]);
        expect_bound(symbols, "strlen", NULL);
        close_under(symbols);
    }
}

/* --- functions --------------------------------------------------------------------------- */

static void a_function_that_may_not_bind_is_refused(void **state)
{
    under_policy("deny * snprintf qsort\ndefault allow\n");
    expect_refusal("libc_calls", "libc_calls", TCI_ENTRY_MAIN, TC_E_UNRESOLVED,
                   PARTS("symbol snprintf of ", "is denied: rules line 1: deny * snprintf",
                         "symbol qsort of ", "deny * qsort"));
    under_policy("deny * other\ndefault allow\n");
    loaded_file f = load_file("libc_calls", "libc_calls", TCI_ENTRY_MAIN, "");
    unload_file(&f);
    under_policy(NULL);
}

static void symbols_that_nobody_defines_are_not_called_denied(void **state)
{
    under_policy("default allow\n");
    expect_refusal("missing", "missing", TCI_ENTRY_MAIN, TC_E_UNRESOLVED,
                   PARTS("no library here defines", "tc_test_absent_function"));
    under_policy(NULL);
}

/* To a weak reference it is as though it were not there. */
static void a_weak_reference_that_is_denied_stays_open(void **state)
{
    int result = 0;
    under_policy("deny * *weak*\ndefault allow\n");
    loaded_file f = load_file("weak_reference", "weak_reference", TCI_ENTRY_MAIN, "");
    f.entries.main(NULL, 0, &result);
    assert_int_equal(result, 42);
    unload_file(&f);
    under_policy(NULL);
}

#ifdef TEST_BITCODE
static void assembly_is_refused(void **state)
{
    under_policy("default allow\n");
    expect_refusal("good_asm", "good_asm", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("function 'good_asm_main' has inline assembly", "option symbols"));
    expect_refusal("asm_symbols", "asm_symbols", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("assembly outside functions", ".data", "option symbols"));
    under_policy(NULL);
    loaded_file f = load_file("good_asm", "good_asm", TCI_ENTRY_MAIN, "");
    unload_file(&f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_denied_runs_no_constructor),
        cmocka_unit_test(no_resolver_of_a_denied_ifunc_runs),
        cmocka_unit_test(another_name_of_denied_code_is_denied),
        cmocka_unit_test(a_rule_is_for_a_library),
        cmocka_unit_test(a_symbol_with_a_prototype_is_judged_by_its_name),
        cmocka_unit_test(what_finds_symbols_at_run_time_is_denied),
        cmocka_unit_test(a_function_that_may_not_bind_is_refused),
        cmocka_unit_test(symbols_that_nobody_defines_are_not_called_denied),
        cmocka_unit_test(a_weak_reference_that_is_denied_stays_open),
#ifdef TEST_BITCODE
        cmocka_unit_test(assembly_is_refused),
#endif
    };
    return cmocka_run_group_tests(tests, engine_set_up, engine_tear_down);
}
