#include "../support/test.h"
#include "cache_sample.h"

#define OBJECT_BYTES 200u
#define CHECKSUM_BYTES 32u
#define ENTRY_MAX 1024u

static uint8_t object[OBJECT_BYTES];

static tci_cache_entry sample_entry(void)
{
    cache_sample_object(1, object, sizeof object);
    return (tci_cache_entry){cache_sample_key(1), "count", object, sizeof object};
}

/* In memory of exactly its size, so that a sanitizer sees reads behind it. */
static uint8_t *encode_sample(size_t *size_out)
{
    tci_cache_entry entry = sample_entry();
    size_t size = tci_cache_entry_bytes(&entry);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_in_range(size, OBJECT_BYTES, ENTRY_MAX);
    tci_cache_entry_encode(&entry, bytes, size);
    *size_out = size;
    return bytes;
}

static void seal(uint8_t *bytes, size_t size)
{
    tci_hash256(bytes, size - CHECKSUM_BYTES, bytes + size - CHECKSUM_BYTES);
}

static void expect_refused(const uint8_t *bytes, size_t size, tc_status expected)
{
    tci_cache_entry entry;
    tc_error err = {.status = TC_OK};
    assert_int_equal(tci_cache_entry_decode(bytes, size, NULL, &entry, &err), expected);
    assert_int_equal(err.status, expected);
    assert_true(err.text[0] != '\0');
}

TEST(what_is_encoded_decodes)
{
    size_t size;
    tci_cache_entry entry, expected = sample_entry();
    tc_error err;
    uint8_t *bytes = encode_sample(&size);
    assert_ok(tci_cache_entry_decode(bytes, size, NULL, &entry, &err));
    assert_true(tci_cache_entry_key_equal(&entry.key, &expected.key));
    assert_string_equal(entry.name, "count");
    assert_int_equal(entry.object_bytes, OBJECT_BYTES);
    assert_memory_equal(entry.object, object, OBJECT_BYTES);
    assert_int_equal(((const uint8_t *)entry.object - bytes) % 16, 0);
    free(bytes);
}

/* The layout that docs/object-cache.md promises. */
TEST(bytes_are_where_the_document_says)
{
    static const uint8_t begin[24] = {'T', 'C', 'O', 'B', 'J', 'E', 'C', 'T', 1, 0, 0, 0,
                                      112, 0,   0,   0,   200, 0,   0,   0,   0, 0, 0, 0};
    static const uint8_t fields[24] = {1, 0, 0,  0, 2, 0, 0, 0, 3, 0, 0, 0,
                                       7, 0, 14, 0, 6, 0, 5, 0, 0, 0, 0, 0};
    static const char texts[] = "skylake\0+avx2,-avx512f\0"
                                "19.1.7\0count\0";
    size_t size;
    uint8_t checksum[CHECKSUM_BYTES];
    uint8_t *bytes = encode_sample(&size);
    tci_object_key key = cache_sample_key(1);
    assert_int_equal(size, 112 + OBJECT_BYTES + CHECKSUM_BYTES);
    assert_memory_equal(bytes, begin, sizeof begin);
    assert_memory_equal(bytes + 24, key.id.bytes, 16);
    assert_memory_equal(bytes + 40, fields, sizeof fields);
    assert_memory_equal(bytes + 64, texts, sizeof texts - 1);
    assert_memory_equal(bytes + 112, object, OBJECT_BYTES);
    tci_hash256(bytes, size - CHECKSUM_BYTES, checksum);
    assert_memory_equal(bytes + size - CHECKSUM_BYTES, checksum, CHECKSUM_BYTES);
    free(bytes);
}

TEST(every_flipped_bit_is_refused)
{
    size_t size;
    uint8_t *bytes = encode_sample(&size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        tci_cache_entry entry;
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        tc_status status = tci_cache_entry_decode(bytes, size, NULL, &entry, NULL);
        if (status != TC_E_CORRUPT && status != TC_E_VERSION)
            fail_msg("bit %zu flipped: status %d", bit, (int)status);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    free(bytes);
}

TEST(every_truncation_is_refused)
{
    size_t size;
    uint8_t *bytes = encode_sample(&size);
    for (size_t kept = 0; kept < size; kept++) {
        uint8_t *cut = malloc(kept > 0 ? kept : 1);
        assert_non_null(cut);
        memcpy(cut, bytes, kept);
        expect_refused(cut, kept, TC_E_CORRUPT);
        free(cut);
    }
    uint8_t *longer = calloc(1, size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    expect_refused(longer, size + 1, TC_E_CORRUPT);
    free(longer);
    free(bytes);
}

/* With a checksum that is right, so that the later checks have to find it. */
TEST(lies_with_a_right_checksum_are_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
        tc_status expected;
    } lies[] = {
        {8, 2, TC_E_VERSION},    {12, 96, TC_E_CORRUPT},  {12, 128, TC_E_CORRUPT},
        {15, 255, TC_E_CORRUPT}, {16, 199, TC_E_CORRUPT}, {16, 201, TC_E_CORRUPT},
        {23, 255, TC_E_CORRUPT}, {52, 6, TC_E_CORRUPT},   {52, 8, TC_E_CORRUPT},
        {53, 255, TC_E_CORRUPT}, {59, 64, TC_E_CORRUPT},  {60, 1, TC_E_CORRUPT},
        {64, 0, TC_E_CORRUPT},   {71, 'x', TC_E_CORRUPT}, {111, 1, TC_E_CORRUPT},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        size_t size;
        uint8_t *bytes = encode_sample(&size);
        assert_int_not_equal(bytes[lies[i].at], lies[i].value);
        bytes[lies[i].at] = lies[i].value;
        seal(bytes, size);
        expect_refused(bytes, size, lies[i].expected);
        free(bytes);
    }
}

TEST(an_empty_object_is_refused)
{
    size_t size;
    uint8_t *bytes = encode_sample(&size);
    memset(bytes + 16, 0, 8);
    size = 112 + CHECKSUM_BYTES;
    seal(bytes, size);
    expect_refused(bytes, size, TC_E_CORRUPT);
    free(bytes);
}

TEST(limits_are_those_of_the_header)
{
    tci_cache_entry entry = sample_entry();
    char *text = malloc(TCI_CACHE_TEXT_MAX + 2);
    assert_non_null(text);
    memset(text, '+', TCI_CACHE_TEXT_MAX + 1);
    text[TCI_CACHE_TEXT_MAX + 1] = '\0';
    entry.key.features = text;
    assert_int_equal(tci_cache_entry_bytes(&entry), 0);
    entry.key.features = text + 1;
    assert_int_not_equal(tci_cache_entry_bytes(&entry), 0);
    entry = sample_entry();
    entry.object_bytes = 0;
    assert_int_equal(tci_cache_entry_bytes(&entry), 0);
    entry.object_bytes = TCI_CACHE_ENTRY_BYTES_MAX - 112 - CHECKSUM_BYTES;
    assert_int_equal(tci_cache_entry_bytes(&entry), TCI_CACHE_ENTRY_BYTES_MAX);
    entry.object_bytes++;
    assert_int_equal(tci_cache_entry_bytes(&entry), 0);
    free(text);
}

/* Every field of the key makes another file, and a text does not run over into the next. */
TEST(each_field_names_another_file)
{
    tci_object_key keys[10];
    char names[10][TCI_CACHE_FILE_NAME];
    for (size_t i = 0; i < 10; i++)
        keys[i] = cache_sample_key(1);
    keys[1].id.bytes[15] ^= 1;
    keys[2].cpu = "skylak";
    keys[3].features = "+avx2";
    keys[4].llvm = "19.1.6";
    keys[5].level++;
    keys[6].slice++;
    keys[7].abi++;
    keys[8].cpu = "skylake+";
    keys[8].features = "avx2,-avx512f";
    keys[9].cpu = "";
    for (size_t i = 0; i < 10; i++) {
        tci_cache_entry_file_name(&keys[i], names[i]);
        assert_int_equal(strspn(names[i], "0123456789abcdef"), 32);
        assert_string_equal(names[i] + 32, ".tco");
        assert_true(tci_cache_entry_key_equal(&keys[i], &keys[i]));
        for (size_t other = 0; other < i; other++) {
            assert_string_not_equal(names[i], names[other]);
            assert_false(tci_cache_entry_key_equal(&keys[i], &keys[other]));
        }
    }
}
