/* Dictionaries: the library's own, the gain of archives by them, and archives with a wrong
 * dictionary or frame. The argument is the folder of archive_size's data. */
#include "../support/test.h"
#include "archive_dictionary.h"
#include "archive_file.h"
#include "archive_samples.h"
#include "wire/hello.h"

#include <pthread.h>

#define THREADS 4

static const char *folder;

TEST(ids_are_of_the_bytes)
{
    uint32_t previous = 0;
    bool majors[32] = {false};
    assert_in_range(tci_dictionary_count(), 2, TCI_DICTIONARIES_MAX);
    for (size_t i = 0; i < tci_dictionary_count(); i++) {
        const tci_dictionary_file *file = tci_dictionary_at(i);
        assert_int_equal(file->id, tci_dictionary_id_of(file->bytes, file->size));
        assert_true(file->id > previous);
        assert_true(file->id <= TCI_HELLO_DICTIONARY_LAST);
        assert_int_equal(tci_dictionary_find(file->id), i);
        majors[file->llvm_major] = true;
        previous = file->id;
    }
    assert_true(majors[19] && majors[22]);
    assert_int_equal(tci_dictionary_find(previous ^ 1), TCI_DICTIONARY_NONE);
}

static void add_file(tci_archive_writer *writer, const char *triple)
{
    tci_slice slice = {.form = TCI_FORM_BITCODE, .producer_major = 19};
    char path[4096];
    void *bytes;
    size_t size;
    strcpy(slice.triple, triple);
    snprintf(path, sizeof path, "%s/tsi_%s.bc", folder, triple);
    assert_ok(tci_archive_file_read(path, 1 << 20, &bytes, &size, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, bytes, size, NULL, 0, NULL));
    free(bytes);
}

static uint8_t *write_tsi(bool plain, size_t *size_out)
{
    tci_archive_writer *writer;
    void *bytes;
    assert_ok(tci_archive_writer_create("tsi", TCI_ENTRY_MAIN, &writer, NULL));
    if (plain)
        tci_archive_writer_plain(writer);
    add_file(writer, "x86_64");
    add_file(writer, "aarch64");
    assert_ok(tci_archive_writer_finish(writer, &bytes, size_out, NULL));
    tci_archive_writer_destroy(writer);
    return bytes;
}

static tci_archive *open_archive(const void *bytes, size_t size)
{
    tci_archive *archive;
    tc_error err;
    if (tci_archive_open(bytes, size, &archive, &err) != TC_OK)
        fail_msg("%s", err.text);
    return archive;
}

TEST(both_forms_hold_the_same)
{
    size_t packed_size, plain_size, made_size;
    void *made;
    uint8_t *packed = write_tsi(false, &packed_size);
    uint8_t *plain = write_tsi(true, &plain_size);
    tci_archive *small = open_archive(packed, packed_size);
    tci_archive *large = open_archive(plain, plain_size);
    print_message("%zu bytes with a dictionary, %zu without\n", packed_size, plain_size);
    assert_int_equal(tci_dictionary_at(tci_archive_dictionary(small))->llvm_major, 19);
    assert_int_equal(tci_archive_dictionary(large), TCI_DICTIONARY_NONE);
    assert_true(packed_size * 3 < plain_size);
    assert_int_equal(tci_archive_content_size(small), tci_archive_content_size(large));
    assert_memory_equal(tci_archive_content(small), tci_archive_content(large),
                        tci_archive_content_size(small));

    assert_ok(tci_archive_plain_form(small, &made, &made_size, NULL));
    tci_archive *quick = open_archive(made, made_size);
    assert_int_equal(tci_archive_dictionary(quick), TCI_DICTIONARY_NONE);
    assert_memory_equal(tci_archive_content(quick), tci_archive_content(large),
                        tci_archive_content_size(large));
    assert_in_range(made_size, packed_size, plain_size + plain_size / 20);
    tci_archive_close(quick);
    free(made);
    tci_archive_close(small);
    tci_archive_close(large);
    free(packed);
    free(plain);
}

/* Images have nothing in common with dictionaries. */
TEST(archives_of_images_have_none)
{
    static uint8_t code[2000];
    tci_slice slice = {.triple = "x86_64", .form = TCI_FORM_IMAGE, .producer_major = 19};
    tci_archive_writer *writer;
    void *bytes;
    size_t size;
    assert_ok(tci_archive_writer_create("f", TCI_ENTRY_MAIN, &writer, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, code, sizeof code, NULL, 0, NULL));
    assert_ok(tci_archive_writer_finish(writer, &bytes, &size, NULL));
    tci_archive *archive = open_archive(bytes, size);
    assert_int_equal(tci_archive_dictionary(archive), TCI_DICTIONARY_NONE);
    tci_archive_close(archive);
    tci_archive_writer_destroy(writer);
    free(bytes);
}

static const uint8_t *packed_body(const uint8_t *archive, size_t size, forged *parts_out)
{
    tci_reader r;
    tci_reader_init(&r, archive, size - TCI_ARCHIVE_CHECKSUM_SIZE);
    (void)tci_read_bytes(&r, TCI_ARCHIVE_MAGIC_SIZE);
    parts_out->version = tci_read_u8(&r);
    parts_out->packing = tci_read_u8(&r);
    parts_out->dictionary = tci_varint_read(&r);
    parts_out->content_size = tci_varint_read(&r);
    parts_out->body_size = tci_reader_left(&r);
    parts_out->body = tci_read_bytes(&r, parts_out->body_size);
    return parts_out->body;
}

TEST(the_wrong_dictionary_is_found_out)
{
    size_t size;
    tc_error err;
    forged parts;
    uint8_t *bytes = write_tsi(false, &size);
    (void)packed_body(bytes, size, &parts);
    const uint32_t right = parts.dictionary;
    for (size_t i = 0; i < tci_dictionary_count(); i++) {
        parts.dictionary = tci_dictionary_at(i)->id;
        if (parts.dictionary != right)
            assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
    }
    parts.dictionary = TCI_ARCHIVE_NO_DICTIONARY;
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
    free(bytes);
}

/* Each byte changed in turn, under a checksum that fits: if it opens it must still be an
 * archive, and if not the error must have the reason. */
TEST(damaged_frames)
{
    size_t size;
    uint8_t *bytes = write_tsi(false, &size);
    const size_t covered = size - TCI_ARCHIVE_CHECKSUM_SIZE;
    for (size_t at = 10; at < covered; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            tci_archive *archive;
            tc_error err = {.text = ""};
            bytes[at] ^= (uint8_t)(1u << bit);
            tci_archive_checksum(bytes, covered, bytes + covered);
            tc_status status = tci_archive_open(bytes, size, &archive, &err);
            if (status == TC_OK)
                tci_archive_close(archive);
            else
                assert_true(err.text[0] != '\0' && status == err.status);
            bytes[at] ^= (uint8_t)(1u << bit);
        }
    }
    forged parts;
    tc_error err;
    (void)packed_body(bytes, size, &parts);
    for (parts.body_size--; parts.body_size > 0; parts.body_size--)
        assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
    free(bytes);
}

/* A frame of few bytes may claim no more with a dictionary than without. */
TEST(claims_stay_bounded)
{
    size_t size;
    tc_error err;
    forged parts;
    uint8_t *bytes = write_tsi(false, &size);
    (void)packed_body(bytes, size, &parts);
    parts.content_size = 8u << 20;
    assert_status(forge_refused(&parts, &err), TC_E_TOO_LARGE);
    parts.content_size = TCI_PACK_UNITS_CONTENT_MAX + 1;
    assert_status(forge_refused(&parts, &err), TC_E_TOO_LARGE);
    free(bytes);
}

typedef struct opening {
    const uint8_t *bytes;
    size_t size;
    tc_status status;
} opening;

static void *open_in_thread(void *user)
{
    opening *o = user;
    tci_archive *archive;
    o->status = tci_archive_open(o->bytes, o->size, &archive, NULL);
    if (o->status == TC_OK)
        tci_archive_close(archive);
    return NULL;
}

/* Run first: the first use of a dictionary makes the state that later ones share. */
TEST(first_use_in_many_threads)
{
    pthread_t threads[THREADS];
    opening openings[THREADS];
    size_t size;
    uint8_t *bytes = write_tsi(false, &size);
    for (size_t i = 0; i < THREADS; i++) {
        openings[i] = (opening){.bytes = bytes, .size = size};
        assert_int_equal(pthread_create(&threads[i], NULL, open_in_thread, &openings[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_ok(openings[i].status);
    }
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return EXIT_FAILURE;
    folder = argv[1];
    return test_run(NULL, NULL);
}
