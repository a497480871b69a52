#include "archive_samples.h"
#include "../support/test.h"

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill_text(uint32_t seed, uint8_t *bytes, size_t size)
{
    static const char *const words[] = {"ring ",   "frame ",  "slot ",
                                        "credit ", "signal ", "lap "};
    size_t at = 0;
    while (at < size) {
        const char *word = words[next_random(&seed) % 6];
        size_t n = strlen(word) < size - at ? strlen(word) : size - at;
        memcpy(bytes + at, word, n);
        at += n;
    }
}

/* Sequences of four fields come again and again, but seldom at the same offset in a byte. */
static void fill_bits(uint32_t seed, uint8_t *bytes, size_t size)
{
    static const uint16_t fields[] = {0x123, 0xfe1, 0x0a7, 0x66c, 0x901, 0x3d2, 0xb48, 0x57f};
    size_t bit = 0;
    memset(bytes, 0, size);
    while (bit < size * 8) {
        uint64_t group = 0;
        uint32_t start = next_random(&seed);
        for (size_t i = 0; i < 4; i++)
            group |= (uint64_t)fields[(start + 3 * i) % 8] << (12 * i);
        size_t width = 46 + start % 2 * 4; /* 46 or 50: moves by two bits */
        for (size_t i = 0; i < width && bit < size * 8; i++, bit++)
            bytes[bit / 8] |= (uint8_t)((group >> i & 1) << bit % 8);
    }
}

void sample_fill(sample_texture texture, uint32_t seed, uint8_t *bytes, size_t size)
{
    if (texture == SAMPLE_TEXT)
        fill_text(seed, bytes, size);
    else if (texture == SAMPLE_BITS)
        fill_bits(seed, bytes, size);
    else
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)next_random(&seed);
}

void sample_slices(sample_texture texture, size_t size, sample_slice out[3])
{
    static const char *const triples[] = {"x86_64-linux", "aarch64-linux", "riscv64-linux"};
    /* Noise is to stay without any repetition that packing could use. */
    static const char *const symbols[3][4] = {
        {"abort", "memcpy", "puts"}, {"calloc", "free"}, {"write"}};
    memset(out, 0, 3 * sizeof *out);
    assert_true(size <= sizeof out->bytes);
    for (size_t i = 0; i < 3; i++) {
        strcpy(out[i].info.triple, triples[i]);
        out[i].info.form = TCI_FORM_BITCODE;
        out[i].info.producer_major = 19;
        out[i].info.producer_minor = 1;
        out[i].info.producer_patch = (uint8_t)(7 + i);
        out[i].size = size;
        sample_fill(texture, (uint32_t)i + 1, out[i].bytes, size);
        memcpy(out[i].symbols, symbols[texture == SAMPLE_NOISE ? i : 0], sizeof symbols[0]);
        out[i].symbol_count = 3 - i; /* the third has one, so counts differ */
    }
}

void *sample_archive(const sample_slice *slices, const size_t *order, size_t count,
                     size_t *size_out)
{
    tci_archive_writer *writer;
    void *bytes;
    assert_ok(tci_archive_writer_create("sample", TCI_ENTRY_PLACES, &writer, NULL));
    for (size_t i = 0; i < count; i++) {
        const sample_slice *slice = &slices[order[i]];
        assert_ok(tci_archive_writer_add(writer, &slice->info, slice->bytes, slice->size,
                                         slice->symbols, slice->symbol_count, NULL));
    }
    assert_ok(tci_archive_writer_finish(writer, &bytes, size_out, NULL));
    tci_archive_writer_destroy(writer);
    return bytes;
}

void *sample_archive_of(sample_texture texture, size_t size, size_t *size_out)
{
    static sample_slice slices[3];
    static const size_t order[] = {0, 1, 2};
    sample_slices(texture, size, slices);
    return sample_archive(slices, order, 3, size_out);
}

static void expect_slice(const tci_archive *archive, size_t index, const sample_slice *wanted)
{
    const tci_slice *found = tci_archive_slice(archive, index);
    assert_string_equal(found->triple, wanted->info.triple);
    assert_int_equal(found->form, wanted->info.form);
    assert_int_equal(found->cpu_level, wanted->info.cpu_level);
    assert_int_equal(found->producer_major, wanted->info.producer_major);
    assert_int_equal(found->producer_minor, wanted->info.producer_minor);
    assert_int_equal(found->producer_patch, wanted->info.producer_patch);
    assert_int_equal(found->size, wanted->size);
    assert_memory_equal(tci_archive_slice_bytes(archive, index), wanted->bytes, wanted->size);
    assert_int_equal(found->symbol_count, wanted->symbol_count);
    for (size_t i = 0; i < wanted->symbol_count; i++)
        assert_string_equal(tci_archive_symbol(archive, index, i), wanted->symbols[i]);
}

void sample_expect(const tci_archive *archive, const sample_slice slices[3])
{
    assert_string_equal(tci_archive_name(archive), "sample");
    assert_int_equal(tci_archive_entries(archive), TCI_ENTRY_PLACES);
    assert_int_equal(tci_archive_slice_count(archive), 3);
    expect_slice(archive, 0, &slices[1]); /* aarch64 */
    expect_slice(archive, 1, &slices[2]); /* riscv64 */
    expect_slice(archive, 2, &slices[0]); /* x86_64 */
}

forged forge_stored(const void *content, size_t size)
{
    return (forged){.version = TCI_ARCHIVE_VERSION,
                    .packing = TCI_PACKING_STORED,
                    .content_size = (uint32_t)size,
                    .body = content,
                    .body_size = size};
}

size_t forge(const forged *parts, uint8_t *out, size_t capacity)
{
    uint8_t checksum[TCI_ARCHIVE_CHECKSUM_SIZE];
    tci_writer w;
    tci_writer_init(&w, out, capacity);
    tci_write_bytes(&w, TCI_ARCHIVE_MAGIC, TCI_ARCHIVE_MAGIC_SIZE);
    tci_write_u8(&w, parts->version);
    tci_write_u8(&w, parts->packing);
    tci_varint_write(&w, parts->dictionary);
    tci_varint_write(&w, parts->content_size);
    tci_write_bytes(&w, parts->body, parts->body_size);
    tci_archive_checksum(out, w.at, checksum);
    tci_write_bytes(&w, checksum, sizeof checksum);
    assert_false(w.failed);
    return w.at;
}

tc_status forge_refused(const forged *parts, tc_error *err)
{
    static uint8_t bytes[1 << 20];
    tci_archive *archive = NULL;
    size_t size = forge(parts, bytes, sizeof bytes);
    memset(err, 0, sizeof *err);
    tc_status status = tci_archive_open(bytes, size, &archive, err);
    assert_int_not_equal(status, TC_OK);
    assert_int_equal(err->status, status);
    assert_true(err->text[0] != '\0');
    assert_null(archive);
    return status;
}
