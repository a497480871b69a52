/* The output of tc-clang: archives for both targets, small and the same each time, and the list
 * of libraries. */
#include "archive_check.h"
#include "image.h"
#include "tool_run.h"

#include <sys/stat.h>
#include <unistd.h>

enum { TSI_BYTES_MAX = 1700, TSI_IMAGE_BYTES_MAX = 60 };

static tool_result result;

static void assert_success(void)
{
    if (result.exit_status != 0)
        fail_msg("exit status %d; text:\n%s", result.exit_status, result.text);
}

static void copy_file(const char *from, const char *to)
{
    char *text = read_file(from, NULL);
    write_file(to, text);
    free(text);
}

/* Compiles tsi.c and returns its size. */
static void open_tsi(opened_archive *a, const char *forms)
{
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", forms, NULL);
    assert_success();
    assert_string_equal(result.text, "");
    open_archive(a, "tsi.tca");
    print_message("tsi.tca, %s: %zu bytes\n", forms, a->size);
    assert_true(a->size <= TSI_BYTES_MAX);
    assert_string_equal(tci_archive_name(a->archive), "tsi");
    assert_int_equal(tci_archive_entries(a->archive), TCI_ENTRY_MAIN);
}

TEST_WITH(both_targets_in_few_bytes, enter_empty_folder, leave_folder)
{
    opened_archive a;
    open_tsi(&a, "--forms=bitcode");
    assert_int_equal(tci_archive_slice_count(a.archive), 2);
    assert_symbols(&a, "x86_64-linux", "");
    assert_symbols(&a, "aarch64-linux", "");
    assert_int_equal(tci_archive_slice(a.archive, 0)->producer_major, TEST_LLVM_MAJOR);
    assert_int_not_equal(access("tsi.deps", F_OK), 0);
    close_archive(&a);
}

static void assert_image(const opened_archive *a, size_t index, const char *triple)
{
    const tci_slice *slice = tci_archive_slice(a->archive, index);
    tci_image image;
    tc_error err = {.text = ""};
    if (tci_image_open_slice(a->archive, index, &image, &err) != TC_OK)
        fail_msg("%s", err.text);
    print_message("tsi.tca, image for %s: %zu bytes\n", triple, slice->size);
    assert_string_equal(slice->triple, triple);
    assert_true(slice->size <= TSI_IMAGE_BYTES_MAX);
    assert_int_equal(image.segment_count, 1);
    assert_int_equal(image.relocation_count, 0);
}

TEST_WITH(images_in_very_few, enter_empty_folder, leave_folder)
{
    opened_archive a;
    open_tsi(&a, "--forms=image");
    assert_int_equal(tci_archive_slice_count(a.archive), 2);
    assert_image(&a, 0, "aarch64-linux");
    assert_image(&a, 1, "x86_64-linux");
    close_archive(&a);
}

TEST_WITH(both_forms_without_being_asked, enter_empty_folder, leave_folder)
{
    opened_archive a, asked;
    open_tsi(&asked, "--forms=image,bitcode");
    close_archive(&asked);
    rename("tsi.tca", "asked.tca");
    open_tsi(&a, "-O2");
    assert_same_files("tsi.tca", "asked.tca");
    assert_int_equal(tci_archive_slice_count(a.archive), 4);
    assert_int_equal(tci_archive_slice(a.archive, 0)->form, TCI_FORM_BITCODE);
    assert_image(&a, 1, "aarch64-linux");
    assert_int_equal(tci_archive_slice(a.archive, 2)->form, TCI_FORM_BITCODE);
    assert_image(&a, 3, "x86_64-linux");
    close_archive(&a);
}

TEST_WITH(images_for_better_cpus, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", "--forms=image",
             "--cpu-levels=x86-64-v4,armv8-a+lse,x86-64-v3,armv8-a+lse+sve,x86-64-v2", NULL);
    assert_success();
    open_archive(&a, "tsi.tca");
    static const unsigned levels[] = {0,
                                      TCI_CPU_AARCH64_LSE,
                                      TCI_CPU_AARCH64_SVE,
                                      0,
                                      TCI_CPU_X86_64_V2,
                                      TCI_CPU_X86_64_V3,
                                      TCI_CPU_X86_64_V4};
    assert_int_equal(tci_archive_slice_count(a.archive), 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(tci_archive_slice(a.archive, i)->cpu_level, levels[i]);
        assert_image(&a, i, i < 3 ? "aarch64-linux" : "x86_64-linux");
    }
    close_archive(&a);
}

TEST_WITH(the_same_bytes_from_everywhere, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("libraries.c"), "-o", "libraries.tca", NULL);
    assert_success();
    assert_int_equal(mkdir("elsewhere", 0777), 0);
    copy_file(data_file("libraries.c"), "elsewhere/libraries.c");
    run_tool(&result, TEST_TC_CLANG, "elsewhere/libraries.c", "-o", "elsewhere/libraries.tca",
             NULL);
    assert_success();
    assert_same_files("libraries.tca", "elsewhere/libraries.tca");
    assert_int_equal(chdir("elsewhere"), 0);
    run_tool(&result, TEST_TC_CLANG, "libraries.c", "-o", "again.tca", "--name=libraries",
             "--targets=arm64,x86_64-pc-linux-gnu", NULL);
    assert_int_equal(chdir(".."), 0);
    assert_success();
    assert_same_files("libraries.tca", "elsewhere/again.tca");
}

TEST_WITH(several_sources_make_one_function, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("parts_entry.c"), data_file("parts_sum.c"), "-o",
             "parts.tca", NULL);
    assert_success();
    open_archive(&a, "parts.tca");
    assert_int_equal(tci_archive_entries(a.archive),
                     TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT);
    /* Nothing is left open between the sources, and nothing of the names inside. */
    assert_symbols(&a, "x86_64-linux", "");
    assert_symbols(&a, "aarch64-linux", "");
    const char *code = tci_archive_slice_bytes(a.archive, 0);
    size_t size = tci_archive_slice(a.archive, 0)->size;
    assert_non_null(memmem(code, size, "parts_payload_init", strlen("parts_payload_init")));
    assert_null(memmem(code, size, "parts_sum", strlen("parts_sum")));
    assert_null(memmem(code, size, "never looked at", strlen("never looked at")));
    close_archive(&a);
}

/* In the archive's index, for all slices; the constant itself does not travel. */
TEST_WITH(alignment_of_payloads, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("aligned_payload.c"), "-o",
             "aligned_payload.tca", "-I" TEST_INCLUDE, NULL);
    assert_success();
    open_archive(&a, "aligned_payload.tca");
    assert_int_equal(tci_archive_payload_alignment(a.archive), 64);
    assert_int_equal(tci_archive_entries(a.archive), TCI_ENTRY_MAIN);
    const char *code = tci_archive_slice_bytes(a.archive, 0);
    assert_null(memmem(code, tci_archive_slice(a.archive, 0)->size, "payload_alignment", 17));
    close_archive(&a);
    run_tool(&result, TEST_TC_AR, "show", "aligned_payload.tca", NULL);
    assert_success();
    assert_has(result.text, "\npayload  aligned to 64 bytes\n");
}

TEST_WITH(read_only_payloads, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("readonly_payload.c"), "-o",
             "readonly_payload.tca", "-I" TEST_INCLUDE, NULL);
    assert_success();
    open_archive(&a, "readonly_payload.tca");
    assert_true(tci_archive_payload_readonly(a.archive));
    assert_int_equal(tci_archive_payload_alignment(a.archive), 4096);
    const char *code = tci_archive_slice_bytes(a.archive, 0);
    assert_null(memmem(code, tci_archive_slice(a.archive, 0)->size, "payload_readonly", 16));
    close_archive(&a);
    run_tool(&result, TEST_TC_AR, "show", "readonly_payload.tca", NULL);
    assert_success();
    assert_has(result.text, "\npayload  read-only, in pages of its own\n");
    run_tool(&result, TEST_TC_AR, "show", "--json", "readonly_payload.tca", NULL);
    assert_success();
    assert_has(
        result.text,
        "\"payload_alignment\":4096,\"payload_readonly\":true,\"active_message\":false,");
}

/* Images alone, which read the value where it lies. */
TEST_WITH(holes, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("holes.c"), "-o", "holes.tca", "-I" TEST_INCLUDE,
             NULL);
    assert_success();
    open_archive(&a, "holes.tca");
    assert_int_equal(tci_archive_slice_count(a.archive), 2);
    for (size_t i = 0; i < 2; i++) {
        tci_image image;
        assert_ok(tci_image_open_slice(a.archive, i, &image, NULL));
        assert_int_equal(image.hole_count, 1);
        assert_string_equal(image.holes[0].name, "factor");
        assert_int_equal(image.holes[0].bytes, 8);
        assert_int_equal(image.holes[0].kind, TCI_HOLE_INTEGER);
        assert_int_equal(image.relocation_count, 0);
    }
    close_archive(&a);
    run_tool(&result, TEST_TC_AR, "show", "holes.tca", NULL);
    assert_success();
    assert_has(result.text, "    hole factor: 8 bytes at 0x");
    run_tool(&result, TEST_TC_AR, "show", "--json", "holes.tca", NULL);
    assert_success();
    assert_has(result.text, "\"holes\":[{\"name\":\"factor\",\"place\":");
}

/* Of the operation alone: the other function of the source is an ordinary one. */
TEST_WITH(operations_of_active_messages, enter_empty_folder, leave_folder)
{
    for (size_t i = 0; i < 2; i++) {
        opened_archive a;
        run_tool(&result, TEST_TC_CLANG, data_file("operation.c"), "-o", "operation.tca",
                 i == 0 ? "--name=operation" : "--name=ordinary", "-I" TEST_INCLUDE, NULL);
        assert_success();
        open_archive(&a, "operation.tca");
        assert_true(tci_archive_payload_unit(a.archive) == (i == 0));
        const char *code = tci_archive_slice_bytes(a.archive, 0);
        assert_null(memmem(code, tci_archive_slice(a.archive, 0)->size, "payload_unit", 12));
        close_archive(&a);
        run_tool(&result, TEST_TC_AR, "show", "operation.tca", NULL);
        assert_success();
        assert_true((strstr(result.text, "\nshape    active message\n") != NULL) == (i == 0));
    }
}

TEST_WITH(prototypes, enter_empty_folder, leave_folder)
{
    static const char *const forms[] = {"--forms=bitcode", "--forms=image"};
    for (size_t i = 0; i < 2; i++) {
        opened_archive a;
        run_tool(&result, TEST_TC_CLANG, data_file("typed.c"), "-o", "typed.tca", forms[i],
                 "-I" TEST_INCLUDE, NULL);
        assert_success();
        open_archive(&a, "typed.tca");
        assert_string_equal(tci_archive_prototype(a.archive), "(f64,i32,f32[])->f64");
        const char *code = tci_archive_slice_bytes(a.archive, 0);
        assert_null(memmem(code, tci_archive_slice(a.archive, 0)->size, "prototype", 9));
        assert_null(memmem(code, tci_archive_slice(a.archive, 0)->size, "f32[]", 5));
        close_archive(&a);
    }
    run_tool(&result, TEST_TC_AR, "show", "typed.tca", NULL);
    assert_success();
    assert_has(result.text, "\nprototype (f64,i32,f32[])->f64\n");
    run_tool(&result, TEST_TC_AR, "show", "--json", "typed.tca", NULL);
    assert_success();
    assert_has(result.text, "\"active_message\":false,\"prototype\":\"(f64,i32,f32[])->f64\",");
}

/* Both forms know the original API's names of the functions that make payloads. */
TEST_WITH(entries_of_the_original_api, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("original_entries.c"), "-o",
             "original_entries.tca", NULL);
    assert_success();
    open_archive(&a, "original_entries.tca");
    assert_int_equal(tci_archive_entries(a.archive),
                     TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT | TCI_ENTRY_ORIGINAL);
    const char *code = tci_archive_slice_bytes(a.archive, 0);
    size_t size = tci_archive_slice(a.archive, 0)->size;
    const char *bound = "original_entries_payload_bound";
    assert_non_null(memmem(code, size, bound, strlen(bound)));
    close_archive(&a);
}

TEST_WITH(headers_of_both_targets, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("libraries.c"), "-o", "libraries.tca", "-lzstd",
             "-lsqlite3", "-lm", "-lc", NULL);
    assert_success();
    open_archive(&a, "libraries.tca");
    const char *expected = "ZSTD_decompress __assert_fail snprintf sqlite3_libversion strlen";
    assert_symbols(&a, "x86_64-linux", expected);
    assert_symbols(&a, "aarch64-linux", expected);
    close_archive(&a);
    char *deps = read_file("libraries.deps", NULL);
    assert_non_null(deps);
    assert_string_equal(deps, "libzstd.so.1\nlibsqlite3.so.0\nlibm.so.6\n");
    free(deps);
}

/* As every other compiler does, it writes to the working folder. */
TEST_WITH(an_output_of_its_own, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), NULL);
    assert_success();
    open_archive(&a, "tsi.tca");
    assert_string_equal(tci_archive_name(a.archive), "tsi");
    close_archive(&a);
}

TEST_WITH(a_stale_list_of_libraries_goes, enter_empty_folder, leave_folder)
{
    write_file("tsi.deps", "libold.so.1\n");
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", NULL);
    assert_success();
    assert_int_not_equal(access("tsi.deps", F_OK), 0);
}

TEST_WITH(weak_references_are_not_required, enter_empty_folder, leave_folder)
{
    opened_archive a;
    run_tool(&result, TEST_TC_CLANG, data_file("maths.c"), "-o", "maths.tca", "-lm", NULL);
    assert_success();
    open_archive(&a, "maths.tca");
    assert_symbols(&a, "x86_64-linux", "cos");
    close_archive(&a);
}

TEST_WITH(a_missing_library_is_named, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", "-L/some/where",
             "-lnosuch", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "library '-lnosuch' not found; looked in /some/where, ");
    assert_int_not_equal(access("tsi.tca", F_OK), 0);
}

TEST_WITH(debug_information_stays_only_when_asked_for, enter_empty_folder, leave_folder)
{
    opened_archive small, big;
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", "--targets=x86_64",
             NULL);
    assert_success();
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "big.tca", "--targets=x86_64",
             "--name=tsi", "-g", NULL);
    assert_success();
    open_archive(&small, "tsi.tca");
    open_archive(&big, "big.tca");
    const void *code = tci_archive_slice_bytes(big.archive, 0);
    assert_non_null(memmem(code, tci_archive_slice(big.archive, 0)->size, "tsi.c", 5));
    assert_true(tci_archive_slice(big.archive, 0)->size >
                tci_archive_slice(small.archive, 0)->size);
    close_archive(&small);
    close_archive(&big);
}

TEST_WITH(a_dry_run_prints_commands_and_writes_nothing, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, "-###", "no such.c", "-o", "tsi.tca", "-DTEXT=\"it's\"",
             "-I", "some where", "-O3", NULL);
    assert_success();
    assert_has(result.text, "--target=x86_64-linux-gnu");
    assert_has(result.text, "--target=aarch64-linux-gnu");
    assert_has(result.text, " 'no such.c'\n");
    assert_has(result.text, " '-DTEXT=\"it'\\''s\"' -I 'some where' -O3 ");
    assert_has(result.text, " -emit-llvm ");
    const char *first_end = strchr(result.text, '\n');
    assert_non_null(first_end);
    assert_non_null(strchr(first_end + 1, '\n'));
    assert_null(strchr(strchr(first_end + 1, '\n') + 1, '\n'));
    assert_int_not_equal(access("tsi.tca", F_OK), 0);
}

TEST_WITH(llvm_files_for_one_target, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_CLANG, "--target=x86_64-linux-gnu", "-O2", "-fPIC", "-S",
             "-emit-llvm", data_file("maths.c"), "-o", "maths.ll", NULL);
    assert_success();
    run_tool(&result, TEST_TC_CLANG, "maths.ll", "-o", "maths.tca", "--targets=x86_64", NULL);
    assert_success();
    run_tool(&result, TEST_TC_CLANG, "maths.ll", "-o", "maths.tca", NULL);
    assert_int_equal(result.exit_status, 2);
    assert_has(result.text, "'maths.ll' is code for one target");
    run_tool(&result, TEST_TC_CLANG, "maths.ll", "-o", "maths.tca", "--targets=aarch64", NULL);
    assert_int_equal(result.exit_status, 1);
    assert_has(result.text, "the code is for x86_64-linux, but --targets names aarch64-linux");
}

TEST_WITH(help_and_version, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, "--help", NULL);
    assert_success();
    assert_has(result.text, "usage: tc-clang");
    run_tool(&result, TEST_TC_CLANG, "--version", NULL);
    assert_success();
    assert_has(result.text, "tc-clang 0.");
    assert_has(result.text, "\nLLVM ");
    assert_has(result.text, "\nclang: ");
    assert_has(result.text, "\nlld: ");
}

/* One rule for each source and target; the same of both targets is there once. */
TEST_WITH(rules_name_the_headers, enter_empty_folder, leave_folder)
{
    write_file("own.h", "#define NUMBER 3\n");
    write_file("part.c", "#include \"own.h\"\nint part(void);\nint part(void)\n{\n    return "
                         "NUMBER;\n}\n");
    write_file("whole.c", "#include <stddef.h>\n#include \"own.h\"\nvoid whole_main(void *p, "
                          "size_t n, void *t)\n{\n    (void)p, (void)n;\n    *(int *)t = "
                          "NUMBER;\n}\n");
    run_tool(&result, TEST_TC_CLANG, "whole.c", "part.c", "-MMD", "-MP", "-o", "whole.tca",
             NULL);
    assert_int_equal(result.exit_status, 0);
    char *rules = read_file("whole.d", NULL);
    assert_non_null(rules);
    assert_string_equal(rules, "whole.tca: whole.c own.h\nown.h:\n"
                               "whole.tca: part.c own.h\nown.h:\n");
    free(rules);
    run_tool(&result, TEST_TC_CLANG, "whole.c", "part.c", "-MD", "-MF", "rules", "-MT", "it",
             "-o", "whole.tca", NULL);
    assert_int_equal(result.exit_status, 0);
    rules = read_file("rules", NULL);
    assert_non_null(rules);
    assert_has(rules, "it: whole.c ");
    assert_has(rules, "stddef.h");
    free(rules);
}
