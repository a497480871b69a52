/* Code that cannot be shipped is refused with file and line, by itself, and leaves no archive
 * behind. */
#include "tool_run.h"

#include <unistd.h>

static tool_result result;

static void compile_refused(const char *source)
{
    run_tool(&result, TEST_TC_CLANG, data_file(source), "-o", "bad.tca", NULL);
    if (result.exit_status != 1)
        fail_msg("exit status %d, expected 1; text:\n%s", result.exit_status, result.text);
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

/* The path in front may be cut at the working folder, its end never is. */
static void assert_finding(const char *place, const char *what)
{
    char line[512];
    (void)snprintf(line, sizeof line, "%s: error: %s", place, what);
    assert_has(result.text, line);
}

TEST_WITH(thread_local_variables, enter_empty_folder, leave_folder)
{
    compile_refused("thread_local.c");
    assert_finding("data/thread_local.c:9:5", "thread-local variable 'elsewhere' of a library");
    assert_has_not(result.text, "'calls'");
    compile_refused("threads.c");
    assert_finding("data/threads.c:4",
                   "thread-local variable 'of_each' cannot be shipped in code that starts "
                   "threads (pthread_create)");
}

TEST_WITH(sections_of_constructors, enter_empty_folder, leave_folder)
{
    compile_refused("constructor_section.c");
    assert_finding("data/constructor_section.c:2", "variable 'by_hand'");
}

TEST_WITH(assembly_unless_allowed, enter_empty_folder, leave_folder)
{
    compile_refused("assembly.c");
    assert_finding("data/assembly.c:5:5", "inline assembly");
    assert_has_not(result.text, "assembly.c:6");
    assert_finding("data/assembly.c", "assembly at file scope");
    run_tool(&result, TEST_TC_CLANG, data_file("assembly.c"), "-o", "bad.tca", "--allow-asm",
             NULL);
    assert_int_equal(result.exit_status, 0);
    assert_int_equal(access("bad.tca", F_OK), 0);
}

static void compile_holes_refused(const char *name, const char *flag, const char *text)
{
    run_tool(&result, TEST_TC_CLANG, data_file("holes.c"), "-o", "bad.tca", "-I" TEST_INCLUDE,
             name, flag, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, text);
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(holes_that_no_image_has, enter_empty_folder, leave_folder)
{
    compile_holes_refused("--name=holes", "--forms=bitcode",
                          "holes (TC_HOLE) are for images, and none is made");
    compile_holes_refused("--name=shelf", "--library", "a library has no holes");
    compile_holes_refused("--name=holes", "-DMORE", "more than 16 holes");
    compile_holes_refused("--name=holes", "-DLARGE",
                          "hole too_large has 257 bytes, expected 1 to 256");
}

/* By file and line, found by the macro, or by tc-clang in code without the macro. */
TEST_WITH(alignments_that_payloads_cannot_have, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("asserted_alignment.c"), "-o", "bad.tca",
             "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "data/asserted_alignment.c:3:1: error:");
    assert_has(result.text, "TC_PAYLOAD_ALIGN: expected a power of two from 16 to 4096");
    run_tool(&result, TEST_TC_CLANG, data_file("misaligned_payload.c"), "--name=bad", "-o",
             "bad.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding(
        "data/misaligned_payload.c:4",
        "'bad_payload_alignment': payload alignment of 48 bytes, expected a power of "
        "two from 16 to 4096");
    run_tool(&result, TEST_TC_CLANG, data_file("changing_alignment.c"), "--name=bad", "-o",
             "bad.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding("data/changing_alignment.c:3",
                   "'bad_payload_alignment': expected a constant whole number");
    run_tool(&result, TEST_TC_CLANG, data_file("misspelt_alignment.c"), "--name=bad", "-o",
             "bad.tca", "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding("data/misspelt_alignment.c:3",
                   "'bed_payload_alignment': there is no bed_main; the function is 'bad'");
    run_tool(&result, TEST_TC_CLANG, data_file("unlike_alignment.c"), "--name=bad", "-o",
             "bad.tca", "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "align payloads differently (");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(texts_that_are_no_prototypes, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("mistyped.c"), "--name=bad", "-o", "bad.tca",
             "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding("data/mistyped.c:3",
                   "'bed_payload_prototype': there is no bed_main; the function is 'bad'");
    assert_finding("data/mistyped.c:4", "'bad_payload_prototype': prototype '(double)': found "
                                        "'double)' at 1, expected a type");
    run_tool(&result, TEST_TC_CLANG, data_file("untexted.c"), "--name=bad", "-o", "bad.tca",
             NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding("data/untexted.c:3", "'bad_payload_prototype': expected a constant text; "
                                        "TC_PROTOTYPE of <tc/entry.h> defines it");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(read_only_payloads_of_nobody, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("misspelt_readonly.c"), "--name=bad", "-o",
             "bad.tca", "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding("data/misspelt_readonly.c:3",
                   "'bed_payload_readonly': there is no bed_main; the function is 'bad'");
    run_tool(&result, TEST_TC_CLANG, data_file("unlike_readonly.c"), "--name=bad", "-o",
             "bad.tca", "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text,
               "payloads are read-only for x86_64-linux alone: expected it for all");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(what_is_left_for_the_end, enter_empty_folder, leave_folder)
{
    compile_refused("for_the_end.c");
    assert_finding("data/for_the_end.c:12:11",
                   "'at_quick_exit' cannot be shipped; it keeps the address of code");
}

TEST_WITH(alignment_beyond_a_page, enter_empty_folder, leave_folder)
{
    compile_refused("aligned_far.c");
    assert_finding("data/aligned_far.c:1",
                   "'buffer' is aligned to 8192 bytes, a target can give 4096");
    run_tool(&result, TEST_TC_CLANG, data_file("aligned_far.c"), "-o", "bad.tca",
             "--forms=bitcode", NULL);
    assert_int_equal(result.exit_status, 1);
}

TEST_WITH(names_that_no_target_has, enter_empty_folder, leave_folder)
{
    compile_refused("linker_names.c");
    assert_has(result.text, "data/linker_names.c:7:");
    assert_has(result.text, "error: '__bss_start' is made by a linker of programs");
    assert_has(result.text, "error: '__start_nobody' names the bounds of a section in which no "
                            "variable is");
}

TEST_WITH(prototypes_of_symbols, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("symbol_prototypes.c"), "--name=bad", "-o",
             "bad.tca", "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_finding("data/symbol_prototypes.c:9:11",
                   "'given' states a wrong prototype: prototype '(i33)->i32': found "
                   "'i33)->i32' at 1, expected a type");
    run_tool(&result, TEST_TC_CLANG, data_file("unlike_exports.c"), "--library", "-o",
             "bad.tca", "-I" TEST_INCLUDE, NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "'taken(i64)->i32' is exported twice: with another prototype, or "
                            "without one");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(one_line_for_both_targets, enter_empty_folder, leave_folder)
{
    compile_refused("assembly.c");
    const char *first = strstr(result.text, "inline assembly");
    assert_non_null(first);
    assert_null(strstr(first + 1, "inline assembly"));
}

TEST_WITH(entry_with_another_signature, enter_empty_folder, leave_folder)
{
    compile_refused("wrong_signature.c");
    assert_finding("data/wrong_signature.c:3",
                   "'bad_main' has the wrong signature: found i32 (ptr, i32); expected "
                   "'void bad_main(void *payload, size_t payload_size, void *target_args)'");
}

TEST_WITH(companions_with_another_signature, enter_empty_folder, leave_folder)
{
    compile_refused("wrong_companions.c");
    assert_finding("data/wrong_companions.c:8",
                   "'bad_payload_get_max_size' has the wrong signature: found i32 (ptr, i64)");
    assert_finding(
        "data/wrong_companions.c:13",
        "'bad_payload_init' has the wrong signature: found void (ptr, i64, ptr, i64)");
}

TEST_WITH(one_companion_alone, enter_empty_folder, leave_folder)
{
    compile_refused("half_companions.c");
    assert_has(result.text,
               "'bad_payload_get_max_size' is missing though 'bad_payload_init' is defined");
}

TEST_WITH(companions_of_two_kinds, enter_empty_folder, leave_folder)
{
    compile_refused("mixed_entries.c");
    assert_finding(
        "data/mixed_entries.c:13",
        "'bad_payload_init' has the wrong signature: found i32 (ptr, i64, ptr, i64); "
        "expected 'int bad_payload_init(void *source_args, size_t size, void "
        "*payload, size_t *payload_size)'");
}

TEST_WITH(entry_that_is_no_function, enter_empty_folder, leave_folder)
{
    compile_refused("variable_main.c");
    assert_finding("data/variable_main.c:1", "'bad_main' is a variable");
    compile_refused("alias_main.c");
    assert_finding("data/alias_main.c:2", "'bad_main' is an alias");
    compile_refused("static_main.c");
    assert_finding("data/static_main.c:2", "'bad_main' is static");
    compile_refused("declared_main.c");
    assert_finding("data/declared_main.c:2", "'bad_main' is declared but not defined");
}

TEST_WITH(missing_entry_names_what_is_there, enter_empty_folder, leave_folder)
{
    compile_refused("tsi.c");
    assert_has(result.text,
               "'bad_main' is not defined, found 'tsi_main'; expected 'void bad_main(");
}

TEST_WITH(functions_of_two_sources_with_one_name, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("parts_entry.c"), data_file("parts_sum.c"),
             data_file("parts_twice.c"), "-o", "parts.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "parts_twice.c: does not link");
    assert_has(result.text, "parts_sum");
}

TEST_WITH(errors_of_clang_pass_through, enter_empty_folder, leave_folder)
{
    write_file("bad.c", "#include <stddef.h>\n\nint x = undeclared_thing;\n");
    run_tool(&result, TEST_TC_CLANG, "bad.c", "-o", "bad.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "bad.c:3:9: error: ");
    assert_has(result.text, "undeclared_thing");
}

TEST_WITH(warnings_of_clang_pass_through, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("warns.c"), "-o", "warns.tca", "-Wall", NULL);
    assert_int_equal(result.exit_status, 0);
    assert_has(result.text, "data/warns.c:5:9: warning: ");
}

/* Another system root hides a cross compiler's headers, which clang finds by itself. */
TEST_WITH(missing_headers_name_the_package, enter_empty_folder, leave_folder)
{
#if defined(__x86_64__)
    static const char other[] = "--targets=aarch64";
    static const char package[] = "package libc6-dev-arm64-cross";
    static const char folder[] = "/nonexistent/aarch64-linux-gnu/include";
#else
    static const char other[] = "--targets=x86_64";
    static const char package[] = "package libc6-dev-amd64-cross";
    static const char folder[] = "/nonexistent/x86_64-linux-gnu/include";
#endif
    assert_int_equal(setenv("TC_CROSS_ROOT", "/nonexistent", 1), 0);
    run_tool(&result, TEST_TC_CLANG, data_file("libraries.c"), "-o", "libraries.tca", other,
             "--sysroot=/nonexistent", NULL);
    assert_int_equal(unsetenv("TC_CROSS_ROOT"), 0);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "file not found");
    assert_has(result.text, folder);
    assert_has(result.text, package);
}

TEST_WITH(a_clang_that_is_not_there, enter_empty_folder, leave_folder)
{
    assert_int_equal(setenv("TC_CLANG", "/nonexistent/clang", 1), 0);
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", NULL);
    assert_int_equal(unsetenv("TC_CLANG"), 0);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "no program '/nonexistent/clang'");
}

TEST_WITH(failure_keeps_the_old_archive, enter_empty_folder, leave_folder)
{
    write_file("bad.tca", "old");
    write_file("bad.deps", "libold.so.1\n");
    run_tool(&result, TEST_TC_CLANG, data_file("assembly.c"), "-o", "bad.tca", "-lzstd", NULL);
    assert_int_equal(result.exit_status, 1);
    char *archive = read_file("bad.tca", NULL);
    char *deps = read_file("bad.deps", NULL);
    assert_string_equal(archive, "old");
    assert_string_equal(deps, "libold.so.1\n");
    free(archive);
    free(deps);
}
