/* Images as tc-clang makes them: their contents, that they run, and code without images. */
#include "archive_check.h"
#include "tool_run.h"

#include "archive_file.h"
#include "engine/image/image_loader.h"
#include "image.h"

#include <unistd.h>

enum { RESULTS = 8, CONSTANTS_IN_CODE_MAX = 4096 };

static tool_result result;

/* Compiles NAME.c for both targets; the options end with NULL. */
static void compile(const char *name, const char *option, const char *other)
{
    char source[64];
    char output[64];
    (void)snprintf(source, sizeof source, "%s.c", name);
    (void)snprintf(output, sizeof output, "%s.tca", name);
    run_tool(&result, TEST_TC_CLANG, data_file(source), "-o", output, option, other, NULL);
    if (result.exit_status != 0)
        fail_msg("exit status %d; text:\n%s", result.exit_status, result.text);
}

static tci_image image_for(const opened_archive *a, const char *triple, unsigned level,
                           size_t *index_out)
{
    tci_image image = {.segment_count = 0};
    tc_error err = {.text = ""};
    if (tci_archive_select_image(a->archive, triple, level, index_out, &err) != TC_OK ||
        tci_image_open_slice(a->archive, *index_out, &image, &err) != TC_OK)
        fail_msg("%s", err.text);
    return image;
}

static void assert_image_symbols(const opened_archive *a, size_t index, const char *expected)
{
    char text[512] = "";
    for (size_t i = 0; i < tci_archive_slice(a->archive, index)->symbol_count; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "",
                       tci_archive_symbol(a->archive, index, i));
    }
    assert_string_equal(text, expected);
}

/* --- contents ---------------------------------------------------------------------------- */

static void assert_parts(const opened_archive *a, const char *triple)
{
    size_t index;
    unsigned kinds[4] = {0};
    tci_image image = image_for(a, triple, TCI_CPU_ANY, &index);
    assert_int_equal(image.entries, 7);
    assert_int_equal(image.segment_count, 2);
    assert_int_equal(image.segments[0].kind, TCI_IMAGE_CODE);
    assert_int_equal(image.segments[1].kind, TCI_IMAGE_DATA);
    assert_true(image.segments[1].memory_bytes > image.segments[1].file_bytes + 800);
    assert_int_equal(image.eh_frame_bytes, 0);
    assert_int_equal(image.weak_count, 1);
    assert_string_equal(image.weak_names, "nowhere");
    assert_image_symbols(a, index, "memcpy strlen");
    assert_int_equal(image.symbol_count, 2);
    tci_image_iterator it = tci_image_iterator_begin(&image);
    for (tci_relocation r; tci_image_iterator_next(&it, &r);)
        kinds[r.kind]++;
    assert_int_equal(kinds[TCI_RELOCATION_WEAK], 1);
    assert_true(kinds[TCI_RELOCATION_SYMBOL] >= 2);   /* memcpy; strlen twice in a table */
    assert_true(kinds[TCI_RELOCATION_RELATIVE] >= 1); /* cursor */
}

TEST_WITH(parts_of_both_targets, enter_empty_folder, leave_folder)
{
    opened_archive a;
    compile("image_parts", NULL, NULL);
    open_archive(&a, "image_parts.tca");
    assert_parts(&a, "x86_64-linux");
    assert_parts(&a, "aarch64-linux");
    close_archive(&a);
}

TEST_WITH(large_constants_cannot_be_run, enter_empty_folder, leave_folder)
{
    static const char *const triples[] = {"x86_64-linux", "aarch64-linux"};
    opened_archive a;
    compile("image_parts", "-DLARGE=5000", NULL);
    open_archive(&a, "image_parts.tca");
    for (size_t i = 0; i < 2; i++) {
        size_t index;
        tci_image image = image_for(&a, triples[i], TCI_CPU_ANY, &index);
        assert_int_equal(image.segment_count, 3);
        assert_int_equal(image.segments[0].kind, TCI_IMAGE_CODE);
        assert_true(image.segments[0].memory_bytes < CONSTANTS_IN_CODE_MAX);
        assert_int_equal(image.segments[1].kind, TCI_IMAGE_CONSTANTS);
        assert_true(image.segments[1].memory_bytes > 5000 * sizeof(int));
        assert_int_equal(image.segments[2].kind, TCI_IMAGE_DATA);
    }
    close_archive(&a);
}

TEST_WITH(unwinding_only_when_asked_for, enter_empty_folder, leave_folder)
{
    static const char *const triples[] = {"x86_64-linux", "aarch64-linux"};
    opened_archive without, with;
    compile("unwinds", NULL, NULL);
    open_archive(&without, "unwinds.tca");
    compile("unwinds", "-fexceptions", "-fasynchronous-unwind-tables");
    open_archive(&with, "unwinds.tca");
    for (size_t i = 0; i < 2; i++) {
        size_t index;
        assert_int_equal(image_for(&without, triples[i], 0, &index).eh_frame_bytes, 0);
        assert_true(image_for(&with, triples[i], 0, &index).eh_frame_bytes > 0);
    }
    close_archive(&without);
    close_archive(&with);
}

static bool has_instruction(const tci_image *image, uint32_t mask, uint32_t wanted)
{
    const tci_image_segment *code = &image->segments[0];
    for (uint32_t at = 0; at + 4 <= code->file_bytes; at += 4) {
        uint32_t word;
        memcpy(&word, code->bytes + at, sizeof word);
        if ((word & mask) == wanted)
            return true;
    }
    return false;
}

/* Without the level the target has only load and store exclusive; a call of a helper that no
 * library exports would be worse. */
TEST_WITH(levels_reach_the_instructions, enter_empty_folder, leave_folder)
{
    static const uint32_t mask = 0xff20fc00, ldadd = 0xf8200000; /* ldadd{a}{l} of 64 bits */
    opened_archive a;
    size_t index;
    compile("adds_atomically", "--cpu-levels=armv8-a+lse", "--targets=aarch64");
    open_archive(&a, "adds_atomically.tca");
    tci_image plain = image_for(&a, "aarch64-linux", TCI_CPU_ANY, &index);
    assert_image_symbols(&a, index, "");
    assert_false(has_instruction(&plain, mask, ldadd));
    tci_image lse = image_for(&a, "aarch64-linux", TCI_CPU_AARCH64_LSE, &index);
    assert_true(has_instruction(&lse, mask, ldadd));
    close_archive(&a);
}

TEST_WITH(the_same_bytes_each_time, enter_empty_folder, leave_folder)
{
    compile("image_parts", "--forms=image", NULL);
    assert_int_equal(rename("image_parts.tca", "first.tca"), 0);
    compile("image_parts", "--forms=image", NULL);
    assert_same_files("image_parts.tca", "first.tca");
}

/* --- that they run ----------------------------------------------------------------------- */

static void run_parts(const char *path, unsigned level)
{
    opened_archive a;
    size_t index;
    tci_code_arena *arena;
    tci_symbols *symbols;
    tci_loaded_image *loaded;
    tci_entries entries;
    tc_error err = {.text = ""};
    open_archive(&a, path);
    (void)image_for(&a, tci_triple_host(), level, &index);
    assert_ok(tci_code_arena_create(&arena, NULL));
    assert_ok(tci_symbols_create("", 0, &(tci_symbol_scope){0}, &symbols, NULL));
    if (tci_image_loader_load(arena, a.archive, index, symbols, 0, &loaded, &entries, &err) !=
        TC_OK)
        fail_msg("%s", err.text);

    long out[RESULTS];
    static const long first[RESULTS] = {1, 0, 20, 3, 100, 84, -1, 42};
    static const long second[RESULTS] = {2, 0, 21, 5, 400, 86, -1, 43};
    static const long third[RESULTS] = {3, 1, 22, 3, 100, 84, -1, 42};
    entries.main(NULL, 42, out);
    assert_memory_equal(out, first, sizeof out);
    entries.main(NULL, 43, out);
    assert_memory_equal(out, second, sizeof out);
    entries.main(NULL, 42, out);
    assert_memory_equal(out, third, sizeof out);
    char payload[8] = "";
    assert_int_equal(entries.max_size(payload, 4), 7);
    assert_int_equal(entries.init(payload, 7, "abc", 4), 5);
    assert_string_equal(payload, "abc");

    tci_image_loader_unload(arena, loaded);
    tci_symbols_destroy(symbols);
    tci_code_arena_destroy(arena);
    close_archive(&a);
}

TEST_WITH(they_run, enter_empty_folder, leave_folder)
{
    compile("image_parts", NULL, NULL);
    run_parts("image_parts.tca", TCI_CPU_ANY);
}

TEST_WITH(they_run_with_large_constants, enter_empty_folder, leave_folder)
{
    compile("image_parts", "-DLARGE=5000", "-O0");
    run_parts("image_parts.tca", TCI_CPU_ANY);
}

/* Calls that only the code generator makes, to functions outside the bitcode. */
TEST_WITH(they_run_with_stack_protection, enter_empty_folder, leave_folder)
{
    opened_archive a;
    size_t index;
    compile("image_parts", "-fstack-protector-all", NULL);
    run_parts("image_parts.tca", TCI_CPU_ANY);
    open_archive(&a, "image_parts.tca");
    (void)image_for(&a, "x86_64-linux", TCI_CPU_ANY, &index);
    assert_image_symbols(&a, index, "__stack_chk_fail memcpy strlen");
    (void)image_for(&a, "aarch64-linux", TCI_CPU_ANY, &index);
    assert_image_symbols(&a, index, "__stack_chk_fail __stack_chk_guard memcpy strlen");
    close_archive(&a);
}

/* --- code without
 * images-------------------------------------------------------------------- */

static void assert_no_image(const char *source, const char *option, const char *part)
{
    run_tool(&result, TEST_TC_CLANG, data_file(source), "-o", "bad.tca", "--targets=x86_64",
             "--allow-asm", "--forms=image", option, NULL);
    if (result.exit_status != 1)
        fail_msg("exit status %d, expected 1; text:\n%s", result.exit_status, result.text);
    assert_has(result.text, part);
    assert_int_not_equal(access("bad.tca", F_OK), 0);
}

TEST_WITH(what_an_image_cannot_say_is_refused, enter_empty_folder, leave_folder)
{
    assert_no_image(
        "packed_pointer.c", NULL,
        "packed_pointer.c:5: error: variable 'packed' has an address at no multiple "
        "of 8 bytes");
    assert_no_image("assembly_sections.c", "-DWITH_ODD_ADDRESS",
                    "its place is no multiple of 8");
    assert_no_image("assembly_sections.c", NULL, "section .init_array: nothing would run");
    assert_no_image("assembly_sections.c", "-DWITH_WRITTEN_CODE",
                    "section .ram: no memory here can be written and run");
    assert_no_image("assembly_sections.c", "-DWITH_THREAD_LOCAL", "thread-local variables");
    assert_no_image("assembly_sections.c", "-DWITH_IFUNC",
                    "an indirect function, whose resolver nothing would run: write it in C");
    assert_no_image("too_many_relocations.c", NULL, "65537 relocations, limit 65536");
    assert_has(
        result.text,
        "tc-clang: error: bad: no image for x86_64-linux (--forms=bitcode makes none): ");
}

TEST_WITH(bitcode_alone_still_is_made, enter_empty_folder, leave_folder)
{
    assert_no_image("packed_pointer.c", NULL, "--forms=bitcode makes no image");
    run_tool(&result, TEST_TC_CLANG, data_file("packed_pointer.c"), "-o", "bad.tca",
             "--forms=bitcode", NULL);
    assert_int_equal(result.exit_status, 0);
}

TEST_WITH(instructions_that_the_level_lacks, enter_empty_folder, leave_folder)
{
    assert_no_image("wide_vectors.c", NULL, "LLVM cannot make machine code of this: ");
    assert_has(result.text,
               "data/wide_vectors.c:6:33: error: this is the first that asks for an "
               "instruction by name which not every CPU has");
    assert_has(result.text, "--forms=bitcode leaves that to the target");
}

TEST_WITH(a_missing_linker_is_named, enter_empty_folder, leave_folder)
{
    assert_int_equal(setenv("TC_LLD", "/nonexistent/lld", 1), 0);
    assert_no_image("tsi.c", "--name=tsi", "no program '/nonexistent/lld'");
    assert_has(result.text, "--forms=bitcode");
    run_tool(&result, TEST_TC_CLANG, data_file("tsi.c"), "-o", "tsi.tca", "--forms=bitcode",
             NULL);
    assert_int_equal(unsetenv("TC_LLD"), 0);
    assert_int_equal(result.exit_status, 0);
}
