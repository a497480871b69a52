/* Input is read back unchanged; its order does not matter; input without an encoding is
 * refused.
 */
#include "../support/test.h"
#include "archive_samples.h"

static sample_slice slices[3];

TEST(round_trip)
{
    static const sample_texture textures[] = {SAMPLE_NOISE, SAMPLE_TEXT, SAMPLE_BITS};
    static const size_t sizes[] = {1, 7, 1000, 4096};
    static const size_t order[] = {0, 1, 2};
    for (size_t i = 0; i < 12; i++) {
        size_t size;
        tci_archive *archive;
        sample_slices(textures[i / 4], sizes[i % 4], slices);
        void *bytes = sample_archive(slices, order, 3, &size);
        assert_ok(tci_archive_open(bytes, size, &archive, NULL));
        sample_expect(archive, slices);
        tci_archive_close(archive);
        free(bytes);
    }
}

TEST(any_order_same_bytes)
{
    static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    size_t first_size;
    sample_slices(SAMPLE_BITS, 2000, slices);
    void *first = sample_archive(slices, orders[0], 3, &first_size);
    for (size_t i = 1; i < 6; i++) {
        size_t size;
        void *bytes = sample_archive(slices, orders[i], 3, &size);
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        free(bytes);
    }
    free(first);
}

static tci_archive_writer *new_writer(void)
{
    tci_archive_writer *writer;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN, &writer, NULL));
    return writer;
}

static tci_archive *finish_and_open(tci_archive_writer *writer, void **bytes_out)
{
    size_t size;
    tci_archive *archive;
    assert_ok(tci_archive_writer_finish(writer, bytes_out, &size, NULL));
    assert_ok(tci_archive_open(*bytes_out, size, &archive, NULL));
    tci_archive_writer_destroy(writer);
    return archive;
}

static tc_status add(tci_archive_writer *writer, const char *triple, unsigned form,
                     unsigned level, tc_error *err)
{
    tci_slice slice = {.form = (tci_slice_form)form, .cpu_level = (uint8_t)level};
    strcpy(slice.triple, triple);
    return tci_archive_writer_add(writer, &slice, triple, strlen(triple), NULL, 0, err);
}

TEST(symbols_are_sorted_and_unique)
{
    static const char *const symbols[] = {"puts", "\xc3\xa9t\xc3\xa9", "abort", "puts", "_Z1f",
                                          "abort"};
    static const char *const sorted[] = {"_Z1f", "abort", "puts", "\xc3\xa9t\xc3\xa9"};
    tci_slice slice = {.triple = "aarch64", .form = TCI_FORM_BITCODE, .symbol_count = 77};
    tci_archive_writer *writer = new_writer();
    void *bytes;
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, symbols, 6, NULL));
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_int_equal(tci_archive_slice(archive, 0)->symbol_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(tci_archive_symbol(archive, 0, i), sorted[i]);
    tci_archive_close(archive);
    free(bytes);
}

TEST(one_slice_per_target_form_and_level)
{
    tc_error err;
    tci_archive_writer *writer = new_writer();
    assert_ok(add(writer, "x86_64-pc-linux-gnu", 1, 0, &err));
    assert_status(add(writer, "x86_64-unknown-linux-gnu", 1, 0, &err), TC_E_IN_USE);
    assert_non_null(strstr(err.text, "x86_64-linux"));
    assert_ok(add(writer, "x86_64-linux", 1, 3, &err));
    assert_ok(add(writer, "x86_64-linux", 2, 0, &err));
    assert_ok(add(writer, "x86_64-freebsd14", 1, 0, &err));
    assert_ok(add(writer, "x86_64-linux", 200, 0, &err));

    static const char *const triples[] = {"x86_64-freebsd", "x86_64-linux", "x86_64-linux",
                                          "x86_64-linux", "x86_64-linux"};
    static const unsigned forms[] = {1, 1, 1, 2, 200};
    static const unsigned levels[] = {0, 0, 3, 0, 0};
    void *bytes;
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_int_equal(tci_archive_slice_count(archive), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(tci_archive_slice(archive, i)->triple, triples[i]);
        assert_int_equal(tci_archive_slice(archive, i)->form, forms[i]);
        assert_int_equal(tci_archive_slice(archive, i)->cpu_level, levels[i]);
    }
    tci_archive_close(archive);
    free(bytes);
}

TEST(alignment_of_payloads)
{
    static const uint64_t bad[] = {0, 1, 8, 17, 48, 8192, (1ull << 32) + 64, UINT64_MAX};
    static const tci_slice slice = {.triple = "x86_64-linux", .form = TCI_FORM_BITCODE};
    tci_archive_writer *writer;
    void *bytes;
    tc_error err;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN, &writer, NULL));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_status(tci_archive_writer_align(writer, bad[i], &err), TC_E_INVALID);
        assert_non_null(strstr(err.text, "a power of two from 16 to 4096"));
    }
    assert_ok(tci_archive_writer_align(writer, 4096, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_int_equal(tci_archive_payload_alignment(archive), 4096);
    assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_MAIN);
    tci_archive_close(archive);
    free(bytes);
}

/* They have a byte more, behind the entries: f, 13 << 4 | main, then the usual byte. */
TEST(constructors_beside_alignment)
{
    static const tci_slice slice = {.triple = "x86_64-linux", .form = TCI_FORM_BITCODE};
    static const uint8_t content[] = {'f', 0, 0xd1, 2, 1};
    tci_archive_writer *writer;
    void *bytes;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN | TCI_ENTRY_LIFE, &writer, NULL));
    assert_ok(tci_archive_writer_align(writer, 64, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_memory_equal((const char *)bytes + 7, content, sizeof content);
    assert_int_equal(tci_archive_payload_alignment(archive), 64);
    assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_MAIN | TCI_ENTRY_LIFE);
    tci_archive_close(archive);
    free(bytes);
}

/* Whatever alignment was asked for; a library has no payloads. */
TEST(read_only_payloads)
{
    static const tci_slice slice = {.triple = "x86_64-linux", .form = TCI_FORM_BITCODE};
    tci_archive_writer *writer;
    void *bytes;
    tc_error err;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN, &writer, NULL));
    tci_archive_writer_readonly(writer);
    assert_ok(tci_archive_writer_align(writer, 64, NULL));
    assert_status(tci_archive_writer_exports(writer, NULL, 0, &err), TC_E_INVALID);
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_true(tci_archive_payload_readonly(archive));
    assert_int_equal(tci_archive_payload_alignment(archive), 4096);
    assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_MAIN);
    tci_archive_close(archive);
    free(bytes);
}

/* A byte more, in front of all other marks: 11 << 4 | main, then the usual byte. */
TEST(units_of_active_messages)
{
    static const tci_slice slice = {.triple = "x86_64-linux", .form = TCI_FORM_BITCODE};
    static const uint8_t content[] = {'f', 0, 0xb1, 0, 1};
    tci_archive_writer *writer;
    void *bytes;
    tc_error err;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN, &writer, NULL));
    tci_archive_writer_unit(writer);
    assert_status(tci_archive_writer_exports(writer, NULL, 0, &err), TC_E_INVALID);
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_memory_equal((const char *)bytes + 7, content, sizeof content);
    assert_true(tci_archive_payload_unit(archive));
    assert_int_equal(tci_archive_payload_alignment(archive), 16);
    assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_MAIN);
    tci_archive_close(archive);
    free(bytes);
}

TEST(bad_names_and_entries)
{
    static const char *const names[] = {"",    "1f",       "a b", "a-b",    "../f",
                                        "f\n", "\xc3\xa9", "a.b", "f_main;"};
    char long_name[TCI_ARCHIVE_NAME_MAX + 1];
    tci_archive_writer *writer = NULL;
    tc_error err;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_status(tci_archive_writer_create(names[i], TCI_ENTRY_MAIN, &writer, &err),
                      TC_E_INVALID);
    memset(long_name, 'a', sizeof long_name);
    long_name[TCI_ARCHIVE_NAME_MAX] = '\0';
    assert_status(tci_archive_writer_create(long_name, TCI_ENTRY_MAIN, &writer, &err),
                  TC_E_INVALID);
    static const unsigned entries[] = {0,
                                       TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT,
                                       TCI_ENTRY_MAIN | TCI_ENTRY_INIT,
                                       TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE,
                                       TCI_ENTRY_MAIN | TCI_ENTRY_ORIGINAL,
                                       16};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        assert_status(tci_archive_writer_create("f", entries[i], &writer, &err), TC_E_INVALID);
    assert_null(writer);

    long_name[TCI_ARCHIVE_NAME_MAX - 1] = '\0'; /* the longest that fits */
    assert_ok(tci_archive_writer_create(long_name, TCI_ENTRY_MAIN, &writer, &err));
    tci_archive_writer_destroy(writer);
}

TEST(bad_slices)
{
    tc_error err;
    size_t size;
    void *bytes;
    tci_archive_writer *writer = new_writer();
    assert_status(tci_archive_writer_finish(writer, &bytes, &size, &err), TC_E_INVALID);
    assert_status(add(writer, "no triple", 1, 0, &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "no triple"));
    assert_status(add(writer, "x86_64", 0, 0, &err), TC_E_INVALID);
    assert_status(add(writer, "x86_64", 256, 0, &err), TC_E_INVALID);
    tci_slice slice = {.triple = "x86_64", .form = TCI_FORM_BITCODE};
    assert_status(tci_archive_writer_add(writer, &slice, "", 0, NULL, 0, &err), TC_E_INVALID);
    assert_status(tci_archive_writer_add(writer, &slice, "", TCI_ARCHIVE_SLICE_BYTES_MAX + 1,
                                         NULL, 0, &err),
                  TC_E_TOO_LARGE);
    const char *const bad_symbols[] = {"", "\1asm_name", "line\nfeed", "del\x7f"};
    for (size_t i = 0; i < 4; i++)
        assert_status(tci_archive_writer_add(writer, &slice, "BC", 2, &bad_symbols[i], 1, &err),
                      TC_E_INVALID);
    tci_archive_writer_destroy(writer);
}

TEST(limit_of_slices)
{
    tc_error err;
    tci_archive_writer *writer = new_writer();
    for (unsigned level = 0; level < TCI_ARCHIVE_SLICES_MAX; level++)
        assert_ok(add(writer, "aarch64", 1, level, &err));
    assert_status(add(writer, "aarch64", 1, TCI_ARCHIVE_SLICES_MAX, &err), TC_E_TOO_LARGE);
    void *bytes;
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_int_equal(tci_archive_slice_count(archive), TCI_ARCHIVE_SLICES_MAX);
    tci_archive_close(archive);
    free(bytes);
}

TEST(limits_of_symbols)
{
    static char text[TCI_ARCHIVE_SYMBOLS_MAX + 1][8];
    static const char *symbols[TCI_ARCHIVE_SYMBOLS_MAX + 1];
    static char long_symbol[TCI_ARCHIVE_SYMBOL_MAX + 1];
    const char *const longs[] = {long_symbol};
    tci_slice slice = {.triple = "aarch64", .form = TCI_FORM_BITCODE};
    tc_error err;
    for (int i = 0; i <= TCI_ARCHIVE_SYMBOLS_MAX; i++) {
        snprintf(text[i], sizeof text[i], "s%d", i);
        symbols[i] = text[i];
    }
    tci_archive_writer *writer = new_writer();
    assert_status(tci_archive_writer_add(writer, &slice, "BC", 2, symbols,
                                         TCI_ARCHIVE_SYMBOLS_MAX + 1, &err),
                  TC_E_TOO_LARGE);
    memset(long_symbol, 'x', TCI_ARCHIVE_SYMBOL_MAX);
    assert_status(tci_archive_writer_add(writer, &slice, "BC", 2, longs, 1, &err),
                  TC_E_TOO_LARGE);
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, symbols, TCI_ARCHIVE_SYMBOLS_MAX,
                                     &err));
    slice.cpu_level = 1;
    long_symbol[TCI_ARCHIVE_SYMBOL_MAX - 1] = '\0';
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, longs, 1, &err));
    void *bytes;
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_int_equal(tci_archive_slice(archive, 0)->symbol_count, TCI_ARCHIVE_SYMBOLS_MAX);
    assert_string_equal(tci_archive_symbol(archive, 1, 0), long_symbol);
    tci_archive_close(archive);
    free(bytes);
}

/* Every mark in the index at once, and the prototype in the content, so in the id. */
TEST(prototypes_are_content)
{
    tci_archive_writer *writer;
    void *bytes;
    tc_error err;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN | TCI_ENTRY_LIFE, &writer, NULL));
    assert_status(tci_archive_writer_prototype(writer, "(f65)", &err), TC_E_INVALID);
    assert_non_null(strstr(err.text, "found 'f65)' at 1, expected a type"));
    assert_ok(tci_archive_writer_prototype(writer, "(f64)->{i8,i64}", NULL));
    tci_archive_writer_readonly(writer);
    tci_archive_writer_unit(writer);
    assert_ok(add(writer, "x86_64-linux-gnu", TCI_FORM_BITCODE, 0, NULL));
    tci_archive *archive = finish_and_open(writer, &bytes);
    assert_true(tci_archive_payload_unit(archive));
    assert_string_equal(tci_archive_prototype(archive), "(f64)->{i8,i64}");
    assert_true(tci_archive_payload_readonly(archive));
    assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_MAIN | TCI_ENTRY_LIFE);
    tci_archive_close(archive);
    free(bytes);
    writer = new_writer();
    assert_ok(add(writer, "x86_64-linux-gnu", TCI_FORM_BITCODE, 0, NULL));
    archive = finish_and_open(writer, &bytes);
    assert_null(tci_archive_prototype(archive));
    tci_archive_close(archive);
    free(bytes);
}
