/* The size of a small function for two targets. data/tsi_*.bc is void tsi_main(void *p,
 *     unsigned long n, void *t) { ++*(unsigned long *)t; }
 * as LLVM 19 writes it, without attributes and metadata. */
#include "../support/test.h"
#include "archive_file.h"
#include "archive_samples.h"

static const char *folder;

static void add_file(tci_archive_writer *writer, const char *triple)
{
    tci_slice slice = {.form = TCI_FORM_BITCODE,
                       .producer_major = 19,
                       .producer_minor = 1,
                       .producer_patch = 7};
    char path[4096];
    void *bytes;
    size_t size;
    strcpy(slice.triple, triple);
    snprintf(path, sizeof path, "%s/tsi_%s.bc", folder, triple);
    assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, bytes, size, NULL, 0, NULL));
    free(bytes);
}

TEST(tsi_for_two_targets)
{
    tci_archive_writer *writer;
    tci_archive *archive;
    void *bytes;
    size_t size;
    assert_ok(tci_archive_writer_create("tsi", TCI_ENTRY_MAIN, &writer, NULL));
    add_file(writer, "x86_64");
    add_file(writer, "aarch64");
    assert_ok(tci_archive_writer_finish(writer, &bytes, &size, NULL));
    print_message("%zu bytes\n", size);
    assert_true(size < 1500);
    assert_ok(tci_archive_open(bytes, size, &archive, NULL));
    assert_string_equal(tci_archive_packing_text(archive), "zstd of 2-bit units");
    tci_archive_close(archive);
    tci_archive_writer_destroy(writer);
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    folder = argv[1];
    return test_run(NULL, NULL);
}
