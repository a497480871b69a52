/* Archives with noise as their code, made in memory. */
#include "fake_archive.h"

#include "archive.h"
#include "archive_layout.h"
#include "test.h"

#define ARCHIVES_MAX 24u

static void *make_archive(const char *name, unsigned entries, size_t bytes, size_t *size_out)
{
    const tci_slice info = {.triple = "x86_64-linux", .form = TCI_FORM_BITCODE};
    tci_archive_writer *writer;
    void *archive;
    uint8_t *code = malloc(bytes);
    uint32_t noise = (uint32_t)bytes + 1;
    assert_non_null(code);
    for (size_t i = 0; i < bytes; i++) { /* packing finds nothing in it */
        noise = noise * 1664525u + 1013904223u;
        code[i] = (uint8_t)(noise >> 24);
    }
    assert_int_equal(tci_archive_writer_create(name, entries & TCI_ENTRY_KNOWN, &writer, NULL),
                     TC_OK);
    assert_int_equal(tci_archive_writer_align(writer,
                                              (uint64_t)TCI_PAYLOAD_ALIGNMENT_MIN
                                                  << (entries >> TCI_ALIGNMENT_SHIFT),
                                              NULL),
                     TC_OK);
    assert_int_equal(tci_archive_writer_add(writer, &info, code, bytes, NULL, 0, NULL), TC_OK);
    assert_int_equal(tci_archive_writer_finish(writer, &archive, size_out, NULL), TC_OK);
    tci_archive_writer_destroy(writer);
    free(code);
    return archive;
}

/* To pack one takes longer than most tests, and they ask for the same few. */
void *fake_archive(const char *name, unsigned entries, size_t bytes, size_t *size_out)
{
    static struct {
        char name[32];
        unsigned entries;
        size_t bytes, size;
        void *archive;
    } made[ARCHIVES_MAX];
    size_t i = 0;
    while (i < ARCHIVES_MAX - 1 && made[i].archive != NULL &&
           (strcmp(made[i].name, name) != 0 || made[i].entries != entries ||
            made[i].bytes != bytes))
        i++;
    if (i == ARCHIVES_MAX - 1)
        return make_archive(name, entries, bytes, size_out);
    if (made[i].archive == NULL) {
        (void)snprintf(made[i].name, sizeof made[i].name, "%s", name);
        made[i].entries = entries;
        made[i].bytes = bytes;
        made[i].archive = make_archive(name, entries, bytes, &made[i].size);
    }
    void *copy = malloc(made[i].size);
    assert_non_null(copy);
    memcpy(copy, made[i].archive, made[i].size);
    *size_out = made[i].size;
    return copy;
}
