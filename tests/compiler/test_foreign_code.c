/* Bitcode of other languages: missing symbols are reported in that language's terms. The
 * fixtures are written by hand as the compilers would, so that the compilers are not needed. */
#include "base/sanitized.h"
#include "tool_run.h"

#include <unistd.h>

static tool_result result;

static void create(const char *fixture, const char *libraries)
{
    if (libraries != NULL)
        write_file("needs.txt", libraries);
    run_tool(&result, TEST_TC_AR, "create", "foreign", data_file(fixture), "-o", "foreign.tca",
             libraries != NULL ? "--deps" : NULL, "needs.txt", NULL);
}

/* Each NULL-terminated list of texts is in the output. */
static void refuse(const char *fixture, const char *const *texts)
{
    create(fixture, NULL);
    assert_int_equal(result.exit_status, 1);
    for (; *texts != NULL; texts++)
        assert_has(result.text, *texts);
    assert_has(result.text, "cannot be shipped");
    assert_int_not_equal(access("foreign.tca", F_OK), 0);
}

TEST_WITH(panics_of_rust, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "error: 'core::panicking::panic_bounds_check' is a Rust panic; ",
        "error: 'core::panicking::panic_const::panic_const_div_by_zero' is a Rust panic; ",
        "error: 'helper::note' is a Rust function that is not in the bitcode; ",
        "error: 'rust_eh_personality' is what unwinds Rust's panics; compile with "
        "-C panic=abort",
        NULL};
    refuse("foreign_rust.ll", texts);
    create("foreign_rust.ll", "libstd-1234.so\n");
    assert_int_equal(result.exit_status, 0); /* whether it has that crate, too, the node sees */
    assert_string_equal(result.text, "");
}

/* A node that embeds Julia has it all. */
TEST_WITH(the_runtime_of_julia, enter_empty_folder, leave_folder)
{
    create("foreign_julia.ll", NULL);
    assert_int_equal(result.exit_status, 0);
    assert_has(result.text, "warning: 'jl_get_ptls_states' keeps a frame for Julia's garbage "
                            "collector; only a node that embeds Julia (jl_init) has it");
    assert_has(result.text, "warning: 'jl_throw' throws an exception of Julia's; ");
    assert_has(result.text,
               "warning: 'jl_alloc_array_1d' allocates by Julia's garbage collector; ");
    assert_int_equal(access("foreign.tca", F_OK), 0);
}

TEST_WITH(objects_of_python, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "error: 'NRT_MemInfo_alloc_safe_aligned' is of Numba's runtime, which allocates "
        "arrays; write into arrays of the payload",
        "error: 'numba_gil_ensure' is a helper of Numba's",
        "error: 'PyErr_SetString' raises a Python exception; compile in nopython mode", NULL};
    refuse("foreign_python.ll", texts);
}

/* With the line that provides it, there is no report. */
TEST_WITH(the_library_of_cxx, enter_empty_folder, leave_folder)
{
    create("foreign_cxx.ll", NULL);
    assert_int_equal(result.exit_status, 0);
    assert_has(result.text, "warning: '_Znwm' is C++'s operator new; a line libstdc++.so.6 in "
                            "--deps FILE gives it to every node");
    assert_has(result.text, "warning: '__gxx_personality_v0' is what unwinds C++ exceptions; ");
    create("foreign_cxx.ll", "libstdc++.so.6\n");
    assert_int_equal(result.exit_status, 0);
    assert_string_equal(result.text, "");
    create("foreign_cxx.ll", NULL); /* the list stays, and counts */
    assert_int_equal(result.exit_status, 0);
    assert_has_not(result.text, "warning");
}

TEST_WITH(output_of_fortran, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "error: '_FortranAioOutputInteger64' is of flang's runtime; keep input", NULL};
    refuse("foreign_fortran.ll", texts);
    create("foreign_fortran.ll", "libFortranRuntime.so\n");
    assert_int_equal(result.exit_status, 0);
    assert_string_equal(result.text, "");
}

TEST_WITH(the_runtime_of_d, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "error: constructor 'ldc.register_dso' registers the module at D's runtime, which no "
        "target has; -betterC does without",
        "note: '_d_arrayappendcTX' is of D's runtime; compile with -betterC", NULL};
    static const char *const plain[] = {
        "error: '_d_arrayappendcTX' is of D's runtime; compile with -betterC", NULL};
    refuse("foreign_d.ll", texts);
    refuse("foreign_d_plain.ll", plain);
}

TEST_WITH(collectors_of_garbage, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "error: function 'foreign_main' wants the garbage collector 'statepoint-example' "
        "(attribute gc), and a node has none",
        NULL};
    refuse("foreign_collector.ll", texts);
}

/* Code that no compiler of C makes. */
TEST_WITH(conventions_and_alignments, enter_empty_folder, leave_folder)
{
    static const char *const convention[] = {
        "error: 'foreign_main' has another calling convention than C's; expected 'void "
        "foreign_main(void *payload",
        NULL};
    static const char *const alignment[] = {
        "error: 'most' is aligned to 4294967296 bytes, a target can give 4096",
        "error: 'much' is aligned to 8192 bytes, a target can give 4096", NULL};
    refuse("foreign_convention.ll", convention);
    refuse("foreign_alignment.ll", alignment);
}

/* Bitcode that LLVM would compile for ever, or crash on. */
TEST_WITH(what_is_beyond_all_bounds, enter_empty_folder, leave_folder)
{
    static const struct {
        const char *fixture;
        const char *text;
    } rows[] = {
        {"foreign_function_alignment.ll",
         "error: 'foreign_main' is aligned to 4294967296 bytes, a target can give 4096"},
        {"foreign_wide_number.ll",
         "error: code computes with integers of 8388608 bits, expected at most 4096"},
        {"foreign_wide_argument.ll",
         "error: code computes with integers of 8388608 bits, expected at most 4096"},
        {"foreign_wide_vector.ll",
         "error: code computes with vectors of 1000000 elements, expected at most 4096"},
        {"foreign_large_value.ll",
         "error: code handles an array or structure of more than 4096 parts as one value, "
         "expected that it stays in memory"},
        {"foreign_large_structure.ll",
         "error: code handles an array or structure of more than 4096 parts as one value"},
        {"foreign_inline_memory.ll",
         "error: llvm.memset.inline of 1073741824 bytes, expected at most 65536"},
        {"foreign_large_data.ll",
         "error: variables with values of more than 268435456 bytes together"},
        {"foreign_large_array.ll",
         "error: a variable of more than 281474976710656 elements, expected less"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refuse(rows[i].fixture, (const char *const[]){rows[i].text, NULL});
}

/* Types that LLVM follows until it has no stack left. The reader of 22 compares each with all
 * that are inside it, and needs hours. */
TEST_WITH(what_ends_llvm, enter_empty_folder, leave_folder)
{
    enum { DEPTH = 100000 };
    FILE *file = fopen("deep.ll", "w");
    assert_non_null(file);
    fprintf(file, "target triple = \"x86_64-unknown-linux-gnu\"\n%%T0 = type { i8 }\n");
    for (int i = 1; i < DEPTH; i++)
        fprintf(file, "%%T%d = type { %%T%d }\n", i, i - 1);
    fprintf(file,
            "@data = internal global %%T%d zeroinitializer\n"
            "define void @foreign_main(ptr %%p, i64 %%size, ptr %%target) {\n"
            "  store ptr @data, ptr %%p\n  ret void\n}\n",
            DEPTH - 1);
    assert_int_equal(fclose(file), 0);
    if (TCI_SANITIZED || TEST_LLVM_VERSION > 19) /* sanitizers end it otherwise */
        skip();
    run_tool(&result, TEST_TC_AR, "create", "foreign", "deep.ll", "-o", "foreign.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "tc-ar: foreign: LLVM ended by signal ");
    assert_has(result.text, "expected code as a compiler makes it");
    assert_int_not_equal(access("foreign.tca", F_OK), 0);
}

/* Addresses of the process in which Julia or Numba compiled; small numbers and -1 are marks. */
TEST_WITH(addresses_as_numbers, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "error: the address 0x7f5a12345678 stands in the code as a number",
        "error: the address 0x55d0aabbccd0 stands in the code as a number", NULL};
    refuse("foreign_addresses.ll", texts);
    assert_has_not(result.text, "0xffff");
    assert_has_not(result.text, "0x10 ");
}
