/* tc-ar create packs the output of any LLVM language, under the same checks as tc-clang. */
#include "archive_check.h"
#include "tool_run.h"

#include <unistd.h>

static tool_result result;

static void make_bitcode(const char *source, const char *target, const char *output)
{
    char option[64];
    (void)snprintf(option, sizeof option, "--target=%s", target);
    run_tool(&result, TEST_CLANG, option, "-ffreestanding", "-O2", "-fPIC", "-g", "-c",
             "-emit-llvm", data_file(source), "-o", output, NULL);
    if (result.exit_status != 0)
        fail_msg("clang failed:\n%s", result.text);
}

TEST_WITH(one_slice_for_each_file, enter_empty_folder, leave_folder)
{
    opened_archive a;
    make_bitcode("tsi.c", "x86_64-pc-linux-gnu", "x.bc");
    make_bitcode("tsi.c", "aarch64-unknown-linux-gnu", "a.bc");
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "a.bc", "-o", "tsi.tca", NULL);
    assert_int_equal(result.exit_status, 0);
    open_archive(&a, "tsi.tca");
    assert_int_equal(tci_archive_slice_count(a.archive), 4); /* an image of each */
    assert_symbols(&a, "x86_64-linux", "");
    assert_symbols(&a, "aarch64-linux", "");
    close_archive(&a);
    /* The order of the files does not count, and tc-clang would have made the same. */
    run_tool(&result, TEST_TC_AR, "create", "tsi", "a.bc", "x.bc", "-o", "other.tca", NULL);
    assert_int_equal(result.exit_status, 0);
    assert_same_files("tsi.tca", "other.tca");
}

static void slices_of(const char *forms, const char *expected)
{
    char text[256] = "";
    opened_archive a;
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "r.bc", "-o", "tsi.tca", forms,
             NULL);
    if (result.exit_status != 0)
        fail_msg("%s", result.text);
    open_archive(&a, "tsi.tca");
    for (size_t i = 0; i < tci_archive_slice_count(a.archive); i++) {
        const tci_slice *slice = tci_archive_slice(a.archive, i);
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s %s, ", slice->triple,
                       tci_slice_form_text(slice->form));
    }
    close_archive(&a);
    assert_string_equal(text, expected);
}

TEST_WITH(forms_as_asked_for, enter_empty_folder, leave_folder)
{
    make_bitcode("tsi.c", "x86_64-linux-gnu", "x.bc");
    make_bitcode("tsi.c", "riscv64-linux-gnu", "r.bc");
    slices_of("--forms=bitcode", "riscv64-linux bitcode, x86_64-linux bitcode, ");
    /* There are no images for the one, the other one still has them. */
    slices_of("--forms=bitcode,image",
              "riscv64-linux bitcode, x86_64-linux bitcode, x86_64-linux image, ");
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "r.bc", "-o", "bad.tca",
             "--forms=image", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "no machine code for riscv64-linux");
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "-o", "bad.tca", "--forms=elf",
             NULL);
    assert_int_equal(result.exit_status, 2);
    assert_has(result.text, "--forms 'elf': expected some of bitcode,image");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(the_list_of_libraries_is_copied, enter_empty_folder, leave_folder)
{
    make_bitcode("tsi.c", "x86_64-linux-gnu", "x.bc");
    write_file("list", "libzstd.so.1\r\n\nlibm.so.6");
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "-o", "tsi.tca", "--deps", "list",
             NULL);
    assert_int_equal(result.exit_status, 0);
    char *deps = read_file("tsi.deps", NULL);
    assert_non_null(deps);
    assert_string_equal(deps, "libzstd.so.1\nlibm.so.6\n");
    free(deps);
}

TEST_WITH(prototypes_of_the_command_line, enter_empty_folder, leave_folder)
{
    static const char *const forms[] = {"--forms=bitcode", "--forms=image",
                                        "--forms=bitcode,image"};
    opened_archive a;
    make_bitcode("tsi.c", "x86_64-linux-gnu", "x.bc");
    make_bitcode("tsi.c", "aarch64-linux-gnu", "a.bc");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "a.bc", "-o", "tsi.tca",
                 "--prototype", "(f64,text)->*", forms[i], NULL);
        if (result.exit_status != 0)
            fail_msg("%s", result.text);
        open_archive(&a, "tsi.tca");
        assert_string_equal(tci_archive_prototype(a.archive), "(f64,text)->*");
        close_archive(&a);
    }
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "-o", "bad.tca", "--prototype",
             "(f65)", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "prototype '(f65)': found 'f65)' at 1, expected a type");
    write_file("typed.c",
               "#include <stddef.h>\n"
               "__attribute__((used)) const char typed_payload_prototype[] = \"(f64)\";\n"
               "void typed_main(void *p, size_t n, void *t);\n"
               "void typed_main(void *p, size_t n, void *t)\n"
               "{ (void)p; (void)n; (void)t; }\n");
    run_tool(&result, TEST_CLANG, "--target=x86_64-linux-gnu", "-O2", "-fPIC", "-c",
             "-emit-llvm", "typed.c", "-o", "t.bc", NULL);
    run_tool(&result, TEST_TC_AR, "create", "typed", "t.bc", "-o", "typed.tca", "--prototype",
             "(f64)", NULL);
    if (result.exit_status != 0)
        fail_msg("%s", result.text);
    run_tool(&result, TEST_TC_AR, "create", "typed", "t.bc", "-o", "bad.tca", "--prototype",
             "(f32)", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "--prototype '(f32)': the code states '(f64)'");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

/* Rust wraps a static in a struct, and a text in Fortran is an array of texts of one byte,
 * which is no constant. */
TEST_WITH(prototypes_as_other_languages_have_them, enter_empty_folder, leave_folder)
{
    static const struct {
        const char *variable, *more;
        const char *expected; /* "!": refused */
    } cases[] = {
        {"constant <{ [6 x i8] }> <{ [6 x i8] c\"(u8[]\\00\" }>", "", "!prototype '(u8[]'"},
        {"constant <{ [5 x i8] }> <{ [5 x i8] c\"(u8)\\00\" }>", "", "(u8)"},
        {"global [3 x [1 x i8]] [[1 x i8] c\"(\", [1 x i8] c\")\", [1 x i8] zeroinitializer]",
         "", "()"},
        {"constant [5 x i8] c\"(u8)x\"", "", "!expected a constant text"},
        {"constant [600 x i8] zeroinitializer", "", "!expected a constant text"},
        {"constant [3 x i16] zeroinitializer", "", "!expected a constant text"},
        {"external constant [3 x i8]", "", "!expected a constant text"},
        {"global [5 x i8] c\"(u8)\\00\"", "store i8 0, ptr @typed_payload_prototype\n",
         "!expected a constant text"},
    };
    char text[1024];
    opened_archive a;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "target triple = \"x86_64-unknown-linux-gnu\"\n"
                 "@typed_payload_prototype = %s\n"
                 "define void @typed_main(ptr %%p, i64 %%n, ptr %%t) { %sret void }\n",
                 cases[i].variable, cases[i].more);
        write_file("typed.ll", text);
        run_tool(&result, TEST_CLANG, "-c", "-emit-llvm", "-Wno-override-module", "typed.ll",
                 "-o", "t.bc", NULL);
        if (result.exit_status != 0)
            fail_msg("%s", result.text);
        run_tool(&result, TEST_TC_AR, "create", "typed", "t.bc", "-o", "typed.tca",
                 "--forms=bitcode", NULL);
        if (cases[i].expected[0] == '!') {
            assert_int_equal(result.exit_status, 1);
            assert_has(result.text, cases[i].expected + 1);
            continue;
        }
        if (result.exit_status != 0)
            fail_msg("%s", result.text);
        open_archive(&a, "typed.tca");
        assert_string_equal(tci_archive_prototype(a.archive), cases[i].expected);
        close_archive(&a);
    }
}

TEST_WITH(two_files_for_one_target, enter_empty_folder, leave_folder)
{
    make_bitcode("tsi.c", "x86_64-pc-linux-gnu", "one.bc");
    make_bitcode("tsi.c", "x86_64-unknown-linux-gnu", "two.bc");
    run_tool(&result, TEST_TC_AR, "create", "tsi", "one.bc", "two.bc", "-o", "tsi.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "one.bc and two.bc are both for x86_64-linux");
    assert_int_not_equal(access("tsi.tca", F_OK), 0);
}

TEST_WITH(findings_of_all_files_are_told, enter_empty_folder, leave_folder)
{
    make_bitcode("wrong_signature.c", "x86_64-linux-gnu", "x.bc");
    make_bitcode("assembly.c", "aarch64-linux-gnu", "a.bc");
    run_tool(&result, TEST_TC_AR, "create", "bad", "x.bc", "a.bc", "-o", "bad.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "wrong_signature.c:3: error: 'bad_main' has the wrong signature");
    assert_has(result.text, "assembly.c:5:5: error: inline assembly");
}

TEST_WITH(files_that_are_no_bitcode, enter_empty_folder, leave_folder)
{
    size_t size;
    make_bitcode("tsi.c", "x86_64-linux-gnu", "x.bc");
    char *bytes = read_file("x.bc", &size);
    FILE *cut = fopen("cut.bc", "wb");
    assert_non_null(cut);
    assert_int_equal(fwrite(bytes, 1, size / 2, cut), size / 2);
    assert_int_equal(fclose(cut), 0);
    free(bytes);
    write_file("text.bc", "hello\n");
    write_file("empty.bc", "");
    const char *const files[] = {"cut.bc", "text.bc", "empty.bc", "nothing.bc"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        run_tool(&result, TEST_TC_AR, "create", "tsi", files[i], "-o", "tsi.tca", NULL);
        assert_int_equal(result.exit_status, 1);
        assert_has(result.text, files[i]);
    }
}

/* The output of another language's compiler, as tc-clang's for C. */
TEST_WITH(a_library_that_travels, enter_empty_folder, leave_folder)
{
    make_bitcode("parts_sum.c", "x86_64-linux-gnu", "x.bc");
    make_bitcode("parts_sum.c", "aarch64-linux-gnu", "a.bc");
    make_bitcode("tsi.c", "aarch64-linux-gnu", "t.bc");
    const char *const forms[] = {"--forms=bitcode,image", "--forms=bitcode", "--forms=image"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        opened_archive a;
        run_tool(&result, TEST_TC_AR, "create", "parts", "x.bc", "a.bc", "-o", "parts.tca",
                 "--library", forms[i], NULL);
        if (result.exit_status != 0)
            fail_msg("%s", result.text);
        open_archive(&a, "parts.tca");
        assert_true(tci_archive_is_library(a.archive));
        assert_int_equal(tci_archive_slice_count(a.archive), i == 0 ? 4 : 2);
        close_archive(&a);
        run_tool(&result, TEST_TC_AR, "show", "parts.tca", NULL);
        assert_has(result.text, "parts_sum");
    }
    /* Both architectures export the same. */
    run_tool(&result, TEST_TC_AR, "create", "parts", "x.bc", "t.bc", "-o", "bad.tca",
             "--library", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "export different symbols");
    run_tool(&result, TEST_TC_AR, "create", "parts", "x.bc", "-o", "bad.tca", "--library",
             "--prototype=()", NULL);
    assert_int_equal(result.exit_status, 2);
    assert_has(result.text, "--prototype '()': a library has none");
    /* Without the word it is a function with a missing entry. */
    run_tool(&result, TEST_TC_AR, "create", "parts", "x.bc", "-o", "bad.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "parts_main");
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(command_lines_that_make_no_sense, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_AR, "create", "tsi", "-o", "tsi.tca", NULL);
    assert_int_equal(result.exit_status, 2);
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", NULL);
    assert_int_equal(result.exit_status, 2);
    run_tool(&result, TEST_TC_AR, "create", "t s i", "x.bc", "-o", "tsi.tca", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "t s i");
    run_tool(&result, TEST_TC_AR, "create", "tsi", "x.bc", "-o", "tsi.archive", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "ends in .tca");
    run_tool(&result, TEST_TC_AR, "create", "--help", NULL);
    assert_int_equal(result.exit_status, 0);
    assert_has(result.text, "usage: tc-ar create");
}
