/* C++ sources: the archives made of them, their library, and refusals. */
#include "archive_check.h"
#include "tool_run.h"

#include "base/triple.h"
#include "target_table.h"

#include <unistd.h>

static tool_result result;

static void compile(const char *source, const char *option)
{
    run_tool(&result, TEST_TC_CLANG, data_file(source), option, NULL);
    if (result.exit_status != 0)
        fail_msg("%s: exit status %d; text:\n%s", source, result.exit_status, result.text);
}

static void refuse(const char *source, const char *finding)
{
    run_tool(&result, TEST_TC_CLANG, data_file(source), "-o", "bad.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, finding);
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

static size_t slices_of(const char *path)
{
    opened_archive a;
    open_archive(&a, path);
    size_t count = tci_archive_slice_count(a.archive);
    close_archive(&a);
    return count;
}

/* Its headers are there for this machine; for the other one only with that one's g++. */
TEST_WITH(the_library_comes_along, enter_empty_folder, leave_folder)
{
    const tci_target *all[TCI_TARGETS_MAX];
    char option[64] = "--targets=x86_64,aarch64";
    size_t count = 0, expected = 0;
    assert_ok(tci_target_table_parse_list("x86_64,aarch64", all, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        if (tci_target_table_is_host(all[i]) || tci_target_table_has_cxx_headers(all[i])) {
            expected += 2;
            (void)snprintf(option, sizeof option, "--targets=%s",
                           expected > 2 ? "x86_64,aarch64" : all[i]->triple);
        }
    }
    compile("words.cpp", option);
    assert_int_equal(slices_of("words.tca"), expected);
    char *deps = read_file("words.deps", NULL);
    assert_non_null(deps);
    assert_string_equal(deps, "libstdc++.so.6\n");
    free(deps);
}

TEST_WITH(headers_of_another_machine, enter_empty_folder, leave_folder)
{
    assert_int_equal(setenv("TC_CROSS_ROOT", "/no/such/folder", 1), 0);
    const char *foreign = strcmp(tci_triple_host(), "x86_64-linux") == 0 ? "--targets=aarch64"
                                                                         : "--targets=x86_64";
    run_tool(&result, TEST_TC_CLANG, data_file("words.cpp"), foreign, "-nostdinc", NULL);
    assert_int_equal(unsetenv("TC_CROSS_ROOT"), 0);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "the C++ library's headers for ");
    assert_has(result.text, "the package g++-");
}

TEST_WITH(no_library_without_need, enter_empty_folder, leave_folder)
{
    compile("plain.cpp", "--forms=bitcode");
    assert_int_equal(slices_of("plain.tca"), 2);
    assert_int_not_equal(access("plain.deps", F_OK), 0);
}

TEST_WITH(entries_are_extern_c, enter_empty_folder, leave_folder)
{
    refuse("mangled.cpp", "data/mangled.cpp:2: error: 'bad_main' is not declared extern \"C\"");
    refuse("mangled_init.cpp", "data/mangled_init.cpp:5: error: 'bad_payload_get_max_size' is "
                               "not declared extern \"C\"");
}

/* Checks whether constructors and destructors became an entry, at any level. */
static void expect_life(const char *source, bool expected)
{
    static const char *const levels[] = {"-O0", "-O2"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        run_tool(&result, TEST_TC_CLANG, data_file(source), levels[i], "-o", "bad.tca", NULL);
        if (result.exit_status != 0)
            fail_msg("%s %s: %s", source, levels[i], result.text);
        run_tool(&result, TEST_TC_AR, "show", "bad.tca", NULL);
        assert_int_equal(strstr(result.text, "entries  bad_main bad.life\n") != NULL, expected);
        assert_null(strstr(result.text, "__cxa_atexit"));
        assert_null(strstr(result.text, "__dso_handle"));
    }
}

TEST_WITH(destructors_of_local_variables_end_with_the_code, enter_empty_folder, leave_folder)
{
    expect_life("local_static.cpp", true);
}

TEST_WITH(variables_may_have_constructors, enter_empty_folder, leave_folder)
{
    expect_life("static_objects.cpp", true);
}

TEST_WITH(the_first_call_may_construct, enter_empty_folder, leave_folder)
{
    compile("first_call.cpp", "--targets=x86_64,aarch64");
    assert_int_equal(slices_of("first_call.tca"), 4);
}

TEST_WITH(thread_locals_are_of_the_code, enter_empty_folder, leave_folder)
{
    expect_life("thread_local.cpp", false);
}

/* The guard of the entry needs these; a function that cannot throw has no guard. */
TEST_WITH(entries_that_throw_are_guarded, enter_empty_folder, leave_folder)
{
    compile("thrown.cpp", "-DQUIET=false");
    run_tool(&result, TEST_TC_AR, "show", "thrown.tca", NULL);
    assert_has(result.text, "tc_self_fail");
    assert_has(result.text, "__cxa_demangle");
    compile("thrown.cpp", "-DQUIET=true");
    run_tool(&result, TEST_TC_AR, "show", "thrown.tca", NULL);
    assert_has(result.text, "__cxa_throw");
    assert_null(strstr(result.text, "tc_self_fail"));
    compile("plain.cpp", "--targets=x86_64,aarch64");
    run_tool(&result, TEST_TC_AR, "show", "plain.tca", NULL);
    assert_null(strstr(result.text, "tc_self_fail"));
}
