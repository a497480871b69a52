/* Committed archives that every later version must read, and bytes that it must still write.
 *
 * The argument is the folder with stored.tca, zstd.tca, units.tca, and of each dictionary
 * dictionary_llvmMAJOR.tca, which tc-clang made of benchmarks/ifuncs/tsi.c. The output of zstd
 * may differ from one zstd to the next, so only the stored archive is compared byte by byte.
 * With --write behind the folder, the archives are written there: for a new format version,
 * never to make a failing test pass. */
#include "../support/test.h"
#include "archive_dictionary.h"
#include "archive_file.h"
#include "archive_samples.h"

#define GOLDEN_SLICE_BYTES 300

static const char *folder;

static const struct {
    const char *file;
    sample_texture texture;
    const char *packing;
} golden[] = {
    {"stored.tca", SAMPLE_NOISE, "stored"},
    {"zstd.tca", SAMPLE_TEXT, "zstd"},
    {"units.tca", SAMPLE_BITS, "zstd of 2-bit units"},
};

static void *read_golden(size_t index, size_t *size_out)
{
    char path[4096];
    void *bytes;
    snprintf(path, sizeof path, "%s/%s", folder, golden[index].file);
    assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, size_out, NULL));
    return bytes;
}

TEST(reader_reads_them)
{
    static sample_slice slices[3];
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        size_t size;
        tci_archive *archive;
        void *bytes = read_golden(i, &size);
        assert_ok(tci_archive_open(bytes, size, &archive, NULL));
        assert_string_equal(tci_archive_packing_text(archive), golden[i].packing);
        sample_slices(golden[i].texture, GOLDEN_SLICE_BYTES, slices);
        sample_expect(archive, slices);
        tci_archive_close(archive);
        free(bytes);
    }
}

/* A dictionary that archives were packed with is never taken out of the library. */
TEST(dictionaries_stay)
{
    static const unsigned majors[] = {19, 22};
    for (size_t i = 0; i < sizeof majors / sizeof majors[0]; i++) {
        char path[4096];
        void *bytes;
        size_t size;
        tci_archive *archive;
        snprintf(path, sizeof path, "%s/dictionary_llvm%u.tca", folder, majors[i]);
        assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL));
        assert_ok(tci_archive_open(bytes, size, &archive, NULL));
        assert_int_equal(tci_dictionary_at(tci_archive_dictionary(archive))->llvm_major,
                         majors[i]);
        assert_string_equal(tci_archive_name(archive), "tsi");
        assert_int_equal(tci_archive_slice_count(archive), 2);
        assert_int_equal(tci_archive_slice(archive, 0)->producer_major, majors[i]);
        tci_archive_close(archive);
        free(bytes);
    }
}

TEST(writer_writes_the_stored_one)
{
    size_t golden_size;
    size_t size;
    void *golden_bytes = read_golden(0, &golden_size);
    void *bytes = sample_archive_of(SAMPLE_NOISE, GOLDEN_SLICE_BYTES, &size);
    assert_int_equal(size, golden_size);
    assert_memory_equal(bytes, golden_bytes, size);
    free(bytes);
    free(golden_bytes);
}

/* The specification's example, byte by byte. */
TEST(example_of_the_document)
{
    static const uint8_t wanted[] = {
        'T',  'C',  'A',  0x01, 0x00, 0x00, 0x0e,       /* header */
        'f',  0x00, 0x01, 0x01,                         /* name, entries, slice count */
        0x01, 0x01, 0x00, 0x13, 0x01, 0x07, 0x02, 0x00, /* x86_64-linux, bitcode, ... */
        'B',  'C',                                      /* the slice */
        0xcd, 0x0a, 0x1f, 0xa9, 0xdb, 0x4c, 0x79, 0x97, /* checksum */
    };
    tci_slice slice = {.triple = "x86_64-pc-linux-gnu",
                       .form = TCI_FORM_BITCODE,
                       .producer_major = 19,
                       .producer_minor = 1,
                       .producer_patch = 7};
    tci_archive_writer *writer;
    void *bytes;
    size_t size;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN, &writer, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    assert_ok(tci_archive_writer_finish(writer, &bytes, &size, NULL));
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, size);
    free(bytes);
    /* With payloads that begin at multiples of 64: one byte differs, and the checksum. */
    assert_ok(tci_archive_writer_align(writer, 64, NULL));
    assert_ok(tci_archive_writer_finish(writer, &bytes, &size, NULL));
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, 9);
    assert_int_equal(((uint8_t *)bytes)[9], 0x21);
    assert_memory_equal((uint8_t *)bytes + 10, wanted + 10, size - 18);
    tci_archive_writer_destroy(writer);
    free(bytes);
}

static int write_golden(void)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        char path[4096];
        size_t size;
        void *bytes = sample_archive_of(golden[i].texture, GOLDEN_SLICE_BYTES, &size);
        snprintf(path, sizeof path, "%s/%s", folder, golden[i].file);
        if (tci_archive_file_write(path, bytes, size, NULL) != TC_OK)
            return EXIT_FAILURE;
        free(bytes);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    folder = argv[1];
    if (argc > 2 && strcmp(argv[2], "--write") == 0)
        return write_golden();
    return test_run(NULL, NULL);
}
