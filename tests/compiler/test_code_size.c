/* Sizes of first messages: archives of bitcode for two architectures, by tc-clang as it is
 * used. Neither function is one that the dictionaries were trained from. */
#include "archive_check.h"
#include "archive_dictionary.h"
#include "tool_run.h"
#include "wire/frame.h"

enum { TSI_MESSAGE_BYTES_MAX = 700, HASH_MAP_MESSAGE_BYTES_MAX = 8192 };

static tool_result result;

static void compile(const char *source, const char *output, const char *option)
{
    run_tool(&result, TEST_TC_CLANG, source, "-o", output, "--forms=bitcode",
             "--targets=x86_64,aarch64", option, NULL);
    if (result.exit_status != 0)
        fail_msg("%s", result.text);
}

/* The whole frame of a first call with a payload of one byte. */
static void check_first_message(const char *source, const char *output, size_t bytes_max)
{
    opened_archive a;
    compile(source, output, NULL);
    open_archive(&a, output);
    size_t bytes = tci_frame_code_bytes(1, a.size);
    print_message("%s: an archive of %zu bytes, a first message of %zu\n", output, a.size,
                  bytes);
    assert_int_equal(tci_archive_slice_count(a.archive), 2);
    assert_true(bytes <= bytes_max);
    close_archive(&a);
}

TEST_WITH(first_messages_are_small, enter_empty_folder, leave_folder)
{
    check_first_message(TEST_SOURCES "/benchmarks/ifuncs/tsi.c", "tsi.tca",
                        TSI_MESSAGE_BYTES_MAX);
    check_first_message(TEST_SOURCES "/tests/engine/ifuncs/hash_map.c", "hash_map.tca",
                        HASH_MAP_MESSAGE_BYTES_MAX);
}

static bool has_dictionary_for(unsigned llvm_major)
{
    for (size_t i = 0; i < tci_dictionary_count(); i++) {
        if (tci_dictionary_at(i)->llvm_major == llvm_major)
            return true;
    }
    return false;
}

TEST_WITH(the_compilers_own_dictionary_is_taken, enter_empty_folder, leave_folder)
{
    opened_archive packed, plain;
    compile(data_file("tsi.c"), "tsi.tca", NULL);
    open_archive(&packed, "tsi.tca");
    compile(data_file("tsi.c"), "tsi.tca", "--no-dictionary");
    open_archive(&plain, "tsi.tca");
    size_t index = tci_archive_dictionary(packed.archive);
    assert_true(index < tci_dictionary_count());
    if (has_dictionary_for(TEST_LLVM_MAJOR))
        assert_int_equal(tci_dictionary_at(index)->llvm_major, TEST_LLVM_MAJOR);
    assert_int_equal(tci_archive_dictionary(plain.archive), TCI_DICTIONARY_NONE);
    assert_true(packed.size < plain.size);
    assert_int_equal(tci_archive_content_size(packed.archive),
                     tci_archive_content_size(plain.archive));
    assert_memory_equal(tci_archive_content(packed.archive), tci_archive_content(plain.archive),
                        tci_archive_content_size(plain.archive));
    close_archive(&packed);
    close_archive(&plain);
}

TEST_WITH(tc_ar_tells_both_sizes, enter_empty_folder, leave_folder)
{
    opened_archive packed, plain;
    char text[64];
    compile(data_file("tsi.c"), "tsi.tca", "--no-dictionary");
    assert_int_equal(rename("tsi.tca", "plain.tca"), 0);
    run_tool(&result, TEST_TC_AR, "show", "plain.tca", NULL);
    assert_has_not(result.text, "dictionary");
    run_tool(&result, TEST_TC_AR, "show", "--json", "plain.tca", NULL);
    assert_has(result.text, "\"dictionary\":null");

    compile(data_file("tsi.c"), "tsi.tca", NULL);
    open_archive(&packed, "tsi.tca");
    open_archive(&plain, "plain.tca");
    uint32_t id = tci_dictionary_at(tci_archive_dictionary(packed.archive))->id;
    run_tool(&result, TEST_TC_AR, "show", "tsi.tca", NULL);
    snprintf(text, sizeof text, "with dictionary %08x of LLVM", id);
    assert_has(result.text, text);
    run_tool(&result, TEST_TC_AR, "show", "--json", "tsi.tca", NULL);
    snprintf(text, sizeof text, "\"archive_bytes\":%zu", packed.size);
    assert_has(result.text, text);
    const char *plain_text = strstr(result.text, "\"plain_bytes\":");
    assert_non_null(plain_text);
    size_t sent = strtoul(strchr(plain_text, ':') + 1, NULL, 10);
    assert_in_range(sent, packed.size, plain.size + plain.size / 20);
    close_archive(&packed);
    close_archive(&plain);
}
