/* Meanings of tc-clang's arguments, and refused ones. */
#include "tool_run.h"

#include "command_line.h"

enum { WORDS_MAX = 16 };

static tci_command command;
static tc_error err;

/* Words separated by blanks. */
static tc_status parse(const char *line)
{
    static char words[512];
    char *argv[WORDS_MAX] = {"tc-clang"};
    int argc = 1;
    assert_true(strlen(line) < sizeof words);
    strcpy(words, line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    tci_command_fini(&command);
    return tci_command_parse(argc, argv, &command, &err);
}

static void assert_parses(const char *line)
{
    if (parse(line) != TC_OK)
        fail_msg("'%s': %s", line, err.text);
}

static void assert_refused(const char *line, const char *part)
{
    assert_status(parse(line), TC_E_INVALID);
    assert_has(err.text, part);
}

TEST(defaults)
{
    assert_parses("foo.c -o out/foo.tca");
    assert_int_equal(command.action, TCI_COMMAND_COMPILE);
    assert_string_equal(command.name, "foo");
    assert_int_equal(command.opt_level, '2');
    assert_int_equal(command.target_count, 2);
    assert_string_equal(command.targets[0]->triple, "x86_64-linux");
    assert_string_equal(command.targets[1]->triple, "aarch64-linux");
    assert_false(command.allow_asm || command.keep_debug || command.verbose);
    assert_int_equal(command.clang_options.count, 0);
    assert_true(command.slices.bitcode && command.slices.images);
    assert_int_equal(command.slices.levels.count, 0);
}

TEST(forms_and_levels)
{
    assert_parses("foo.c -o foo.tca --forms=image --cpu-levels=x86-64-v3,armv8-a+lse");
    assert_true(command.slices.images && !command.slices.bitcode);
    static const char x86[] = "x86_64-linux", arm[] = "aarch64-linux";
    assert_true(tci_slice_choice_has_level(&command.slices, x86, TCI_CPU_ANY));
    assert_true(tci_slice_choice_has_level(&command.slices, x86, TCI_CPU_X86_64_V3));
    assert_false(tci_slice_choice_has_level(&command.slices, x86, TCI_CPU_X86_64_V4));
    assert_true(tci_slice_choice_has_level(&command.slices, arm, TCI_CPU_AARCH64_LSE));
    assert_false(tci_slice_choice_has_level(&command.slices, arm, TCI_CPU_AARCH64_SVE));
    assert_parses("foo.c -o foo.tca --forms=bitcode");
    assert_true(command.slices.bitcode && !command.slices.images);
    assert_refused("foo.c -o foo.tca --forms=", "unknown form ''");
    assert_refused("foo.c -o foo.tca --forms=bitcode,elf", "unknown form 'elf'");
    assert_refused("foo.c -o foo.tca --cpu-levels=znver4", "unknown CPU level 'znver4'");
    assert_refused("foo.c -o foo.tca --targets=aarch64 --cpu-levels=x86-64-v2",
                   "CPU level 'x86-64-v2' is for none of the targets");
    assert_refused("foo.c -o foo.tca --forms=bitcode --cpu-levels=x86-64-v2",
                   "--forms asks for none");
}

TEST(options_go_to_clang_in_order)
{
    static const char *const expected[] = {"-I",           "a",     "-Ib",      "-DX=1",
                                           "-U",           "Y",     "-O3",      "-std=c2x",
                                           "-fno-builtin", "-Wall", "-include", "z.h"};
    assert_parses("-I a -Ib foo.c -DX=1 -U Y -O3 -std=c2x -fno-builtin -Wall -include z.h "
                  "-o foo.tca");
    assert_int_equal(command.clang_options.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < command.clang_options.count; i++)
        assert_string_equal(command.clang_options.items[i], expected[i]);
    assert_int_equal(command.opt_level, '3');
}

TEST(libraries_stay_here)
{
    assert_parses("foo.c -lzstd -l m -L/a -L b -l:libx.so.3 -o foo.tca");
    assert_int_equal(command.clang_options.count, 0);
    assert_int_equal(command.libraries.count, 3);
    assert_string_equal(command.libraries.items[0], "zstd");
    assert_string_equal(command.libraries.items[1], "m");
    assert_string_equal(command.libraries.items[2], ":libx.so.3");
    assert_int_equal(command.folders.count, 2);
    assert_string_equal(command.folders.items[1], "b");
}

TEST(levels_and_debug)
{
    assert_parses("foo.c -Os -g -o foo.tca");
    assert_int_equal(command.opt_level, 's');
    assert_true(command.keep_debug);
    assert_parses("foo.c -g -g0 -o foo.tca");
    assert_false(command.keep_debug);
    assert_refused("foo.c -O9 -o foo.tca", "'-O9'");
}

TEST(targets)
{
    assert_parses("foo.c -o foo.tca --targets=arm64,aarch64-linux-gnu");
    assert_int_equal(command.target_count, 1);
    assert_string_equal(command.targets[0]->triple, "aarch64-linux");
    assert_refused("foo.c -o foo.tca --targets=riscv64", "unknown target 'riscv64'");
    assert_refused("foo.c -o foo.tca --targets=", "unknown target ''");
    assert_refused("foo.c -o foo.tca --targets=x86_64,", "unknown target ''");
    assert_refused("foo.c -o foo.tca --targets=x86_64-windows",
                   "unknown target 'x86_64-windows'");
}

TEST(names)
{
    assert_parses("foo.c -o my-file.tca --name=foo");
    assert_string_equal(command.name, "foo");
    assert_refused("foo.c -o my-file.tca", "'my-file', from the output's name");
    assert_refused("foo.c -o foo.tca --name=a.b", "a.b");
    assert_refused("foo.c -o foo.bin", "ends in .tca");
    assert_refused("foo.c -o .tca", "ends in .tca");
    assert_refused("foo.c -o a.tca -o b.tca", "two outputs");
}

TEST(an_output_of_its_own)
{
    assert_parses("src/foo.c");
    assert_string_equal(command.output, "foo.tca");
    assert_string_equal(command.name, "foo");
    assert_parses("src/foo.c bar.cpp --name=both");
    assert_string_equal(command.output, "both.tca");
    assert_string_equal(command.name, "both");
    assert_refused("foo.c bar.c", "no output, and 2 sources");
    assert_refused("my-file.c", "'my-file', from the source's name");
    assert_refused("0123456789012345678901234567890123456789012345678901234567890123456789.c",
                   "is no C identifier of at most 63 bytes");
}

TEST(sources)
{
    assert_parses("foo.cpp");
    assert_parses("foo.cc -o a.b/foo.tca");
    assert_parses("foo.cxx bar.c -o foo.tca");
    assert_true(tci_command_is_cxx("a.c/foo.cpp") && !tci_command_is_cxx("foo.c"));
    assert_false(tci_command_is_cxx(".cpp"));
    assert_refused("foo.h", "expected a source in C (.c) or C++ (.cpp, .cc, .cxx)");
}

TEST(what_makes_no_sense)
{
    assert_refused("", "no source files");
    assert_refused("-o foo.tca", "no source files");
    assert_refused("foo.c -o", "needs an argument");
    assert_refused("foo.c -o foo.tca -I", "needs an argument");
    assert_refused("foo.c -o foo.tca --no-such-option", "unknown option '--no-such-option'");
    assert_refused("foo.c -o foo.tca -mavx2", "about one machine");
    assert_refused("foo.c -o foo.tca -Wl,-z,now", "not run");
    assert_refused("foo.bc -o foo.tca", "code for one target");
}

TEST(what_needs_a_library_in_the_program)
{
    assert_refused("foo.c -o foo.tca -fsanitize=address",
                   "'-fsanitize=address' needs a library");
    assert_refused("foo.c -o foo.tca -fsanitize=undefined,thread", "needs a library");
    assert_refused("foo.c -o foo.tca -fprofile-arcs", "'-fprofile-arcs' needs a library");
    assert_refused("foo.c -o foo.tca -ftest-coverage", "needs a library");
    assert_refused("foo.c -o foo.tca --coverage", "needs a library");
    assert_refused("foo.c -o foo.tca -fprofile-instr-generate=x", "needs a library");
    assert_parses("foo.c -o foo.tca -fsanitize=undefined -fsanitize-trap=all");
}

TEST(rules_for_make)
{
    assert_parses("foo.c -o foo.tca");
    assert_false(command.wants_rules);
    assert_parses("foo.c -o foo.tca -MMD -MP -MF rules -MT a -MQb");
    assert_true(command.wants_rules);
    assert_true(command.names_rule_target);
    assert_string_equal(command.rule_file, "rules");
    assert_int_equal(command.rule_options.count, 6);
    assert_string_equal(command.rule_options.items[5], "b");
}

TEST(types_to_compare)
{
    assert_parses("foo.c --check-abi=a,b --check-abi c");
    assert_null(command.output);
    assert_int_equal(command.compared.count, 3);
    assert_string_equal(command.compared.items[1], "b");
    assert_string_equal(command.compared.items[2], "c");
    assert_parses("foo.c --check-abi=a -o foo.tca");
    assert_string_equal(command.output, "foo.tca");
    assert_refused("foo.c --check-abi=", "without a name");
    assert_refused("foo.c --check-abi=a,,b", "without a name");
    assert_refused("foo.c --check-abi=a,", "without a name");
    assert_refused("foo.c --check-abi", "needs an argument");
    assert_refused("foo.c --check-abi=a --targets=aarch64", "aarch64-linux is the only one");
    assert_refused("foo.bc --check-abi=a", "code for one target");
}

TEST(texts_come_before_everything)
{
    assert_parses("--no-such-option --help");
    assert_int_equal(command.action, TCI_COMMAND_HELP);
    assert_parses("--version");
    assert_int_equal(command.action, TCI_COMMAND_VERSION);
    assert_parses("-### foo.c -o foo.tca");
    assert_int_equal(command.action, TCI_COMMAND_SHOW);
    tci_command_fini(&command);
}
