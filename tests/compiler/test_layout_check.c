/* tc-clang --check-abi: types with the same layout on all targets pass, others are named by
 * file and line. */
#include "tool_run.h"

#include <unistd.h>

static tool_result result;

static void check(const char *names)
{
    char option[256];
    (void)snprintf(option, sizeof option, "--check-abi=%s", names);
    run_tool(&result, TEST_TC_CLANG, data_file("layouts.c"), option, NULL);
}

static void assert_exit_status(int expected)
{
    if (result.exit_status != expected)
        fail_msg("exit status %d, expected %d; text:\n%s", result.exit_status, expected,
                 result.text);
}

static void assert_line(unsigned line, const char *what)
{
    char text[512];
    (void)snprintf(text, sizeof text, "data/layouts.c:%u: %s", line, what);
    assert_has(result.text, text);
}

TEST_WITH(what_is_alike_passes, enter_empty_folder, leave_folder)
{
    check("alike,struct alike_part,enum alike_kind,uint64_t");
    assert_exit_status(0);
    assert_string_equal(result.text,
                        "'alike', 'struct alike_part', 'enum alike_kind', 'uint64_t': alike on "
                        "x86_64-linux and aarch64-linux\n");
}

TEST_WITH(pointers_are_warned_of, enter_empty_folder, leave_folder)
{
    check("pointers");
    assert_exit_status(0);
    assert_line(25, "warning: 'pointers.next' is a pointer");
    assert_line(26, "warning: 'pointers.call' is a pointer");
}

TEST_WITH(numbers_of_other_formats, enter_empty_folder, leave_folder)
{
    check("long_double,plain_char,wide_char");
    assert_exit_status(1);
    assert_line(32, "error: 'long_double.value' is a 'long double', which has another format");
    assert_line(35, "error: 'plain_char.flag' is a 'char', which is signed on x86_64-linux and "
                    "unsigned on aarch64-linux");
    assert_line(36, "warning: 'plain_char.text[]' is a 'char'");
    assert_has_not(result.text, "plain_char.said");
    assert_line(40,
                "error: 'wide_char.one' is a 'wchar_t', which is signed on x86_64-linux and "
                "unsigned on aarch64-linux");
    assert_line(41, "warning: 'wide_char.text[]' is a 'wchar_t'");
    assert_has(result.text, "tc-clang: error: --check-abi: 3 differences");
}

TEST_WITH(an_option_gives_char_a_sign, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("layouts.c"), "--check-abi=plain_char",
             "-fsigned-char", NULL);
    assert_exit_status(0);
    assert_string_equal(result.text, "'plain_char': alike on x86_64-linux and aarch64-linux\n");
}

TEST_WITH(members_of_one_target, enter_empty_folder, leave_folder)
{
    check("only_here");
    assert_exit_status(1);
    assert_line(46, "error: 'only_here.sometimes' is there on aarch64-linux alone");
    assert_line(48, "error: 'only_here.otherwise' is there on x86_64-linux alone");
    assert_line(43, "error: 'only_here' has 16 bytes on x86_64-linux, 24 bytes on "
                    "aarch64-linux");
    /* Its move is not reported then. */
    assert_has_not(result.text, "only_here.behind");
}

TEST_WITH(bit_fields, enter_empty_folder, leave_folder)
{
    check("bit_field,bit_width");
    assert_exit_status(1);
    assert_line(52, "error: 'bit_field' has 5 bytes on x86_64-linux, 8 bytes on aarch64-linux");
    assert_line(76, "error: 'bit_width.low' has 4 bits on x86_64-linux, 5 bits on "
                    "aarch64-linux");
}

TEST_WITH(attributes, enter_empty_folder, leave_folder)
{
    check("packed,aligned");
    assert_exit_status(1);
    assert_line(81, "error: 'packed.second' is at byte 4 on x86_64-linux, 1 on aarch64-linux");
    assert_line(79, "error: 'packed' has 8 bytes on x86_64-linux, 5 bytes on aarch64-linux");
    assert_line(84, "error: 'aligned.value' is aligned to 64 bytes on aarch64-linux alone");
    assert_line(83, "error: 'aligned' has 4 bytes on x86_64-linux, 64 bytes");
}

TEST_WITH(nested_arrays, enter_empty_folder, leave_folder)
{
    check("nested");
    assert_exit_status(1);
    assert_line(88, "error: 'nested.inner.rows' has 2 elements on x86_64-linux, 3 elements on "
                    "aarch64-linux");
    assert_line(81, "error: 'nested.good_rows[].second' is at byte 4");
}

TEST_WITH(values_and_kinds, enter_empty_folder, leave_folder)
{
    check("enumerated,other_kind");
    assert_exit_status(1);
    assert_line(94, "error: 'enumerated.meaning' is an enum with MEANT = 2 on x86_64-linux, "
                    "MEANT = 1 on aarch64-linux");
    assert_line(97, "error: 'other_kind.number' is a struct on x86_64-linux, a number on "
                    "aarch64-linux");
}

TEST_WITH(types_that_are_not_there, enter_empty_folder, leave_folder)
{
    check("alike,nowhere");
    assert_exit_status(1);
    assert_has(result.text, "no source defines a struct, union, enum or type 'nowhere'");
    check("union alike");
    assert_exit_status(1);
    assert_has(result.text, "no source defines a struct, union, enum or type 'union alike'");
    check("declared_only");
    assert_exit_status(1);
    assert_has(result.text, "no source defines a struct, union, enum or type 'declared_only'");
    check("only_x86_64");
    assert_exit_status(1);
    assert_line(71, "error: 'only_x86_64' is defined for x86_64-linux and not for "
                    "aarch64-linux");
}

TEST_WITH(an_archive_is_made_of_what_passes, enter_empty_folder, leave_folder)
{
    run_tool(&result, TEST_TC_CLANG, data_file("layouts.c"), "--check-abi", "packed", "-o",
             "layouts.tca", NULL);
    assert_exit_status(1);
    assert_int_not_equal(access("layouts.tca", F_OK), 0);
    run_tool(&result, TEST_TC_CLANG, data_file("layouts.c"), "--check-abi", "alike", "-o",
             "layouts.tca", NULL);
    assert_exit_status(0);
    assert_has_not(result.text, "alike on");
    assert_int_equal(access("layouts.tca", F_OK), 0);
}

TEST_WITH(errors_of_clang_pass_through, enter_empty_folder, leave_folder)
{
    write_file("bad.c", "struct bad { nothing_known x; };\n");
    run_tool(&result, TEST_TC_CLANG, "bad.c", "--check-abi=bad", NULL);
    assert_exit_status(1);
    assert_has(result.text, "bad.c:1:14: error: ");
}
