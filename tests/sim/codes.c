#include "codes.h"

#include "archive.h"
#include "image.h"

#include <stdlib.h>
#include <string.h>

#define TRIPLE "x86_64-linux"

static void must(tc_status status)
{
    if (status != TC_OK)
        abort();
}

static void add(tci_archive_writer *writer, tci_slice_form form, const void *bytes, size_t size)
{
    const tci_slice slice = {.triple = TRIPLE, .form = form};
    must(tci_archive_writer_add(writer, &slice, bytes, size, NULL, 0, NULL));
}

static void add_noise(tci_archive_writer *writer, size_t size)
{
    uint8_t *noise = malloc(size);
    uint32_t word = (uint32_t)size + 1;
    if (noise == NULL)
        abort();
    for (size_t i = 0; i < size; i++) { /* packing finds nothing in it */
        word = word * 1664525u + 1013904223u;
        noise[i] = (uint8_t)(word >> 24);
    }
    add(writer, TCI_FORM_BITCODE, noise, size);
    free(noise);
}

static void add_image(tci_archive_writer *writer, const char *name)
{
    void *bytes;
    size_t size;
    const uint32_t code_bytes = (uint32_t)strlen(name) + 1;
    const tci_image_source source = {.machine = TCI_IMAGE_X86_64,
                                     .segment_count = 1,
                                     .segments = {{.file_bytes = code_bytes,
                                                   .memory_bytes = code_bytes,
                                                   .kind = TCI_IMAGE_CODE,
                                                   .bytes = (const uint8_t *)name}},
                                     .entries = TCI_ENTRY_MAIN};
    must(tci_image_write(&source, &bytes, &size, NULL));
    add(writer, TCI_FORM_IMAGE, bytes, size);
    free(bytes);
}

static tc_code finish(tci_archive_writer *writer, const char *deps)
{
    void *bytes;
    tc_code code = {.deps = deps, .deps_size = deps != NULL ? strlen(deps) : 0};
    must(tci_archive_writer_finish(writer, &bytes, &code.size, NULL));
    tci_archive_writer_destroy(writer);
    code.bytes = bytes;
    return code;
}

tc_code codes_function(const char *name, size_t noise_bytes, const char *deps)
{
    tci_archive_writer *writer;
    must(tci_archive_writer_create(name, TCI_ENTRY_MAIN, &writer, NULL));
    add_noise(writer, noise_bytes);
    add_image(writer, name);
    return finish(writer, deps);
}

tc_code codes_library(const char *name, const void *content, size_t size)
{
    tci_archive_writer *writer;
    const tci_export export = {.kind = TCI_EXPORT_DATA, .name = "content"};
    must(tci_archive_writer_create(name, TCI_ENTRY_MAIN, &writer, NULL));
    must(tci_archive_writer_exports(writer, &export, 1, NULL));
    add(writer, TCI_FORM_BITCODE, content, size);
    return finish(writer, NULL);
}
