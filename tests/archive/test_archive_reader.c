/* Damaged, dishonest and foreign bytes. The allocator is wrapped, so that a claim which takes
 * memory shows. */
#include "../support/test.h"
#include "archive_dictionary.h"
#include "archive_samples.h"

static size_t largest_request;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
    largest_request = size > largest_request ? size : largest_request;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    largest_request = count * size > largest_request ? count * size : largest_request;
    return __real_calloc(count, size);
}

#define BOOKKEEPING (16u << 10) /* of an archive without its content, bytes */

static void refuses(const void *bytes, size_t size, tc_status wanted)
{
    tc_error err = {.status = TC_OK};
    tci_archive *archive = NULL;
    assert_int_equal(tci_archive_open(bytes, size, &archive, &err), wanted);
    assert_int_equal(err.status, wanted);
    assert_true(err.text[0] != '\0');
    assert_null(archive);
    assert_int_equal(tci_archive_open(bytes, size, &archive, NULL), wanted);
}

/* Each truncation is a heap block of its own, so that a sanitizer sees the first byte read
 * behind it. */
TEST(every_truncation)
{
    for (sample_texture texture = SAMPLE_NOISE; texture <= SAMPLE_BITS; texture++) {
        size_t size;
        uint8_t *bytes = sample_archive_of(texture, 200, &size);
        for (size_t n = 0; n < size; n++) {
            uint8_t *cut = malloc(n > 0 ? n : 1);
            assert_non_null(cut);
            memcpy(cut, bytes, n);
            refuses(cut, n, TC_E_CORRUPT);
            free(cut);
        }
        free(bytes);
    }
}

TEST(every_bit_flip)
{
    for (sample_texture texture = SAMPLE_NOISE; texture <= SAMPLE_BITS; texture++) {
        size_t size;
        uint8_t *bytes = sample_archive_of(texture, 200, &size);
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            refuses(bytes, size, TC_E_CORRUPT);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        free(bytes);
    }
}

TEST(bytes_behind_the_end)
{
    size_t size;
    uint8_t *bytes = sample_archive_of(SAMPLE_BITS, 200, &size);
    uint8_t *longer = calloc(1, size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    refuses(longer, size + 1, TC_E_CORRUPT);
    free(longer);
    free(bytes);
}

TEST(something_else)
{
    tc_error err;
    tci_archive *archive;
    static const char elf[] = "\x7f"
                              "ELF\2\1\1 and so on, long enough";
    assert_status(tci_archive_open(elf, sizeof elf, &archive, &err), TC_E_CORRUPT);
    assert_non_null(strstr(err.text, "7f 45 4c"));
    assert_non_null(strstr(err.text, "TCA"));
}

/* The smallest good content: name "f", main, one bitcode slice of LLVM 19.1.7 for x86_64, two
 * bytes, no symbols. */
static const char small[] = "f\0\x01\x01"
                            "\x01\x01\x00\x13\x01\x07\x02\x00"
                            "BC";
#define SMALL_SIZE (sizeof small - 1)

TEST(small_content_is_good)
{
    uint8_t bytes[64];
    tci_archive *archive;
    forged parts = forge_stored(small, SMALL_SIZE);
    size_t size = forge(&parts, bytes, sizeof bytes);
    assert_ok(tci_archive_open(bytes, size, &archive, NULL));
    assert_string_equal(tci_archive_name(archive), "f");
    assert_string_equal(tci_archive_slice(archive, 0)->triple, "x86_64-linux");
    assert_string_equal(tci_archive_packing_text(archive), "stored");
    assert_memory_equal(tci_archive_slice_bytes(archive, 0), "BC", 2);
    tci_archive_close(archive);
}

TEST(other_versions)
{
    tc_error err;
    forged parts = forge_stored(small, SMALL_SIZE);
    parts.version = 2;
    assert_status(forge_refused(&parts, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, "version 2"));
    assert_non_null(strstr(err.text, "version 1"));
    parts.version = 1;
    parts.packing = 3;
    assert_status(forge_refused(&parts, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, "packing 3"));
}

TEST(unknown_dictionaries)
{
    tc_error err;
    char known[16];
    forged parts = forge_stored(small, SMALL_SIZE);
    parts.packing = TCI_PACKING_ZSTD_UNITS;
    parts.dictionary = 0x4711;
    assert_status(forge_refused(&parts, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, "00004711"));
    for (size_t i = 0; i < tci_dictionary_count(); i++) {
        snprintf(known, sizeof known, "%08x", tci_dictionary_at(i)->id);
        assert_non_null(strstr(err.text, known));
    }
    parts.packing = TCI_PACKING_STORED; /* only units are packed with one */
    parts.dictionary = tci_dictionary_at(0)->id;
    assert_status(forge_refused(&parts, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, "packing 0"));
}

TEST(entry_bits)
{
    tc_error err;
    char content[SMALL_SIZE];
    memcpy(content, small, sizeof content);
    forged parts = forge_stored(content, sizeof content);
    content[2] = 6;
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
    content[2] = 3;
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
}

/* "f", a library, its exports, one slice as `small` has it. */
static size_t library_content(const char *exports, size_t size, char out[64])
{
    out[0] = 'f';
    out[1] = '\0';
    out[2] = (char)0xf1;
    memcpy(out + 3, exports, size);
    memcpy(out + 3 + size, small + 3, SMALL_SIZE - 3);
    return SMALL_SIZE + size;
}

TEST(exports_of_libraries)
{
    static const char good[] = "\2\1get\0\2number";
    static const struct {
        const char *bytes;
        size_t size;
        tc_status status;
    } bad[] = {
        {"\1\3get", 6, TC_E_CORRUPT},          /* an unknown kind */
        {"\2\1get\0\1get", 11, TC_E_CORRUPT},  /* twice */
        {"\2\1get\0\1back", 12, TC_E_CORRUPT}, /* not in order */
        {"\1\1", 3, TC_E_CORRUPT},             /* no name */
        {"\1\1g\x7ft", 6, TC_E_CORRUPT},       /* a control character */
        {"\177\1get", 6, TC_E_CORRUPT},        /* more than bytes */
        {"\x81\x20\1get", 7, TC_E_TOO_LARGE},  /* 4,097 */
    };
    char content[64];
    uint8_t bytes[128];
    tci_archive *archive;
    forged parts = forge_stored(content, library_content(good, sizeof good, content));
    size_t size = forge(&parts, bytes, sizeof bytes);
    assert_ok(tci_archive_open(bytes, size, &archive, NULL));
    assert_true(tci_archive_is_library(archive));
    assert_int_equal(tci_archive_export_count(archive), 2);
    assert_string_equal(tci_archive_export(archive, 0).name, "get");
    assert_int_equal(tci_archive_export(archive, 0).kind, TCI_EXPORT_FUNCTION);
    assert_string_equal(tci_archive_export(archive, 1).name, "number");
    assert_int_equal(tci_archive_export(archive, 1).kind, TCI_EXPORT_DATA);
    tci_archive_close(archive);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tc_error err;
        parts = forge_stored(content, library_content(bad[i].bytes, bad[i].size, content));
        assert_int_equal(forge_refused(&parts, &err), bad[i].status);
    }
}

TEST(alignment_of_payloads)
{
    tc_error err;
    uint8_t bytes[64];
    char content[SMALL_SIZE], text[64];
    tci_archive *archive;
    memcpy(content, small, sizeof content);
    forged parts = forge_stored(content, sizeof content);
    for (unsigned doubled = 0; doubled < TCI_UNIT_MARK; doubled++) {
        content[2] = (char)(TCI_ENTRY_MAIN | doubled << TCI_ALIGNMENT_SHIFT);
        if (doubled > 8) {
            assert_status(forge_refused(&parts, &err), TC_E_VERSION);
            snprintf(text, sizeof text, "archive f: payload alignment of %u bytes",
                     16u << doubled);
            assert_non_null(strstr(err.text, text));
            assert_non_null(strstr(err.text, "a power of two from 16 to 4096"));
            continue;
        }
        size_t size = forge(&parts, bytes, sizeof bytes);
        assert_ok(tci_archive_open(bytes, size, &archive, NULL));
        assert_int_equal(tci_archive_payload_alignment(archive), 16u << doubled);
        assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_MAIN);
        tci_archive_close(archive);
    }
}

/* Claims that no bytes stand behind: refused, and no memory was taken for them. */
TEST(oversized_claims)
{
    static const uint8_t packings[] = {TCI_PACKING_STORED, TCI_PACKING_ZSTD,
                                       TCI_PACKING_ZSTD_UNITS};
    static const uint32_t claims[] = {65536 + 1024, 16u << 20,        (16u << 20) + 1,
                                      256u << 20,   (256u << 20) + 1, UINT32_MAX};
    tc_error err;
    forged parts = forge_stored(small, SMALL_SIZE);
    largest_request = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 6; k++) {
            parts.packing = packings[i];
            parts.content_size = claims[k];
            assert_status(forge_refused(&parts, &err), TC_E_TOO_LARGE);
        }
    }
    assert_true(largest_request < BOOKKEEPING);
}

/* Believable for plain zstd, but units would take four times as much. */
TEST(units_have_a_limit_of_their_own)
{
    static uint8_t body[20 << 10];
    tc_error err;
    forged parts = forge_stored(body, sizeof body);
    parts.packing = TCI_PACKING_ZSTD_UNITS;
    parts.content_size = TCI_PACK_UNITS_CONTENT_MAX + 1;
    largest_request = 0;
    assert_status(forge_refused(&parts, &err), TC_E_TOO_LARGE);
    assert_true(largest_request < BOOKKEEPING);
}

TEST(stored_size_must_fit)
{
    tc_error err;
    forged parts = forge_stored(small, SMALL_SIZE);
    parts.content_size--;
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
    parts.content_size += 2;
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
}

typedef struct bad_content {
    const char *what;
    const char *bytes;
    size_t size;
    tc_status status;
} bad_content;

#define BAD(what, bytes, status)                                                               \
    {                                                                                          \
        what, bytes, sizeof(bytes) - 1, status                                                 \
    }

#define F "f\0\x01\x01"
#define X86 "\x01\x01\x00\x13\x01\x07"
#define A64 "\x02\x01\x00\x13\x01\x07"

TEST(bad_index)
{
    static const bad_content bad[] = {
        BAD("empty", "", TC_E_CORRUPT),
        BAD("name without end", "fffffff", TC_E_CORRUPT),
        BAD("no name", "\0\x01\x01" X86 "\x02\0BC", TC_E_CORRUPT),
        BAD("name with a path", "../f\0\x01\x01" X86 "\x02\0BC", TC_E_CORRUPT),
        BAD("no counts", "f\0\x01", TC_E_CORRUPT),
        BAD("no slices", "f\0\x01\0", TC_E_CORRUPT),
        BAD("33 slices", "f\0\x01\x21" X86, TC_E_TOO_LARGE),
        BAD("slice missing", F, TC_E_CORRUPT),
        BAD("slice cut", F "\x01\x01\0\x13", TC_E_CORRUPT),
        BAD("target 3", F "\x03\x01\0\x13\x01\x07\x02\0BC", TC_E_CORRUPT),
        BAD("target without end", F "\0riscv64-linux", TC_E_CORRUPT),
        BAD("target not normal", F "\0riscv64-unknown-linux\0\x01\0\x13\x01\x07\x02\0BC",
            TC_E_CORRUPT),
        BAD("target empty", F "\0\0\x01\0\x13\x01\x07\x02\0BC", TC_E_CORRUPT),
        BAD("numbered target as text", F "\0x86_64-linux\0\x01\0\x13\x01\x07\x02\0BC",
            TC_E_CORRUPT),
        BAD("form 0", F "\x01\0\0\x13\x01\x07\x02\0BC", TC_E_CORRUPT),
        BAD("slice of no bytes", F X86 "\0\0", TC_E_CORRUPT),
        BAD("slice beyond the end", F X86 "\x03\0BC", TC_E_CORRUPT),
        BAD("slice far beyond the end", F X86 "\xff\xff\xff\xff\x0f\0BC", TC_E_CORRUPT),
        BAD("bytes behind the last slice", F X86 "\x02\0BCD", TC_E_CORRUPT),
        BAD("same target twice", "f\0\x01\x02" X86 "\x01\0" X86 "\x01\0BC", TC_E_CORRUPT),
        BAD("wrong order", "f\0\x01\x02" X86 "\x01\0" A64 "\x01\0BC", TC_E_CORRUPT),
        BAD("more symbols than bytes", F X86 "\x02\x7fg\0BC", TC_E_CORRUPT),
        BAD("too many symbols", F X86 "\x02\x81\x20g\0BC", TC_E_TOO_LARGE),
        BAD("symbol without end", F X86 "\x02\x01gBC", TC_E_CORRUPT),
        BAD("empty symbol", F X86 "\x02\x01\0BC", TC_E_CORRUPT),
        BAD("symbols not in order", F X86 "\x02\x02h\0g\0BC", TC_E_CORRUPT),
        BAD("symbol twice", F X86 "\x02\x02g\0g\0BC", TC_E_CORRUPT),
        BAD("control character in symbol", F X86 "\x02\x01\x1b[m\0BC", TC_E_CORRUPT),
        BAD("padded size", F X86 "\x82\0\0BC", TC_E_CORRUPT),
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tc_error err;
        forged parts = forge_stored(bad[i].bytes, bad[i].size);
        if (forge_refused(&parts, &err) != bad[i].status)
            fail_msg("%s: %s", bad[i].what, err.text);
    }
}

/* A forged index with counts as large as the limits allow must not cause large allocations. */
TEST(counts_are_bounded_by_bytes)
{
    tc_error err;
    forged parts =
        forge_stored(F X86 "\x02\x80\x20g\0BC", sizeof(F X86 "\x02\x80\x20g\0BC") - 1);
    largest_request = 0;
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
    assert_true(largest_request < BOOKKEEPING);
}

/* --- select ------------------------------------------------------------------------------ */

static tci_archive *open_forged(const void *content, size_t size)
{
    static uint8_t bytes[256];
    tci_archive *archive;
    forged parts = forge_stored(content, size);
    assert_ok(tci_archive_open(bytes, forge(&parts, bytes, sizeof bytes), &archive, NULL));
    return archive;
}

TEST(select_finds_bitcode)
{
    size_t size;
    size_t index;
    tci_archive *archive;
    void *copy;
    size_t copy_size;
    void *bytes = sample_archive_of(SAMPLE_BITS, 100, &size);
    assert_ok(tci_archive_open(bytes, size, &archive, NULL));
    assert_ok(tci_archive_select(archive, "x86_64-linux", &index, NULL));
    assert_int_equal(index, 2);
    assert_ok(tci_archive_extract(archive, index, &copy, &copy_size, NULL));
    assert_int_equal(copy_size, 100);
    assert_memory_equal(copy, tci_archive_slice_bytes(archive, index), copy_size);
    tci_archive_close(archive);
    free(copy);
    free(bytes);
}

TEST(no_slice_names_both)
{
    size_t size;
    size_t index = 77;
    tci_archive *archive;
    tc_error err;
    void *bytes = sample_archive_of(SAMPLE_BITS, 100, &size);
    assert_ok(tci_archive_open(bytes, size, &archive, NULL));
    assert_status(tci_archive_select(archive, "s390x-linux", &index, &err), TC_E_NO_SLICE);
    assert_int_equal(index, 77);
    assert_string_equal(err.text,
                        "archive sample: no bitcode for s390x-linux, it has: aarch64-linux "
                        "bitcode, riscv64-linux bitcode, x86_64-linux bitcode");
    tci_archive_close(archive);
    free(bytes);
}

/* An unknown form, an image, and bitcode for a higher CPU level: there to see, not to run. */
TEST(unknown_forms_are_listed_not_selected)
{
    static const char content[] = "f\0\x01\x03"
                                  "\x02\x01\x02\x13\x01\x07\x01\x00"
                                  "\x02\x02\x00\x13\x01\x07\x01\x00"
                                  "\x02\xc8\x00\x13\x01\x07\x01\x00"
                                  "abc";
    size_t index;
    tc_error err;
    tci_archive *archive = open_forged(content, sizeof content - 1);
    assert_int_equal(tci_archive_slice_count(archive), 3);
    assert_int_equal(tci_archive_slice(archive, 2)->form, 200);
    assert_null(tci_slice_form_text(tci_archive_slice(archive, 2)->form));
    assert_string_equal(tci_slice_form_text(tci_archive_slice(archive, 1)->form), "image");
    assert_int_equal(tci_archive_slice(archive, 0)->cpu_level, 2);
    assert_status(tci_archive_select(archive, "aarch64-linux", &index, &err), TC_E_NO_SLICE);
    assert_non_null(strstr(err.text, "form 200"));
    assert_non_null(strstr(err.text, "cpu level 2"));
    tci_archive_close(archive);
}
