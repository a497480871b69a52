#include "archive_output.h"

#include "archive.h"
#include "archive_file.h"
#include "base/error_text.h"
#include "hole_variables.h"
#include "library_exports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool exports_are_alike(const tci_text_list *a, const tci_text_list *b)
{
    bool alike = a->count == b->count;
    for (size_t i = 0; alike && i < a->count; i++)
        alike = strcmp(a->items[i], b->items[i]) == 0;
    return alike;
}

static tc_status check_same_entries(const tci_ifunc_code *codes, size_t count, tc_error *err)
{
    for (size_t i = 1; i < count; i++) {
        if (((codes[i].entries ^ codes[0].entries) & ~(unsigned)TCI_ENTRY_LIFE) != 0)
            return tci_error_set(
                err, TC_E_INVALID, "%s and %s define different entry points (bits %u and %u)",
                codes[0].triple, codes[i].triple, codes[0].entries, codes[i].entries);
        if (codes[i].payload.alignment != codes[0].payload.alignment)
            return tci_error_set(err, TC_E_INVALID,
                                 "%s and %s align payloads differently (%u and %u bytes): "
                                 "expected one alignment",
                                 codes[0].triple, codes[i].triple, codes[0].payload.alignment,
                                 codes[i].payload.alignment);
        if (codes[i].payload.readonly != codes[0].payload.readonly)
            return tci_error_set(err, TC_E_INVALID,
                                 "payloads are read-only for %s alone: expected it for all",
                                 codes[codes[i].payload.readonly ? i : 0].triple);
        if (codes[i].payload.unit != codes[0].payload.unit)
            return tci_error_set(err, TC_E_INVALID,
                                 "an operation of active messages for %s alone: expected one "
                                 "for all",
                                 codes[codes[i].payload.unit ? i : 0].triple);
        if (strcmp(codes[i].payload.prototype, codes[0].payload.prototype) != 0)
            return tci_error_set(err, TC_E_INVALID,
                                 "%s and %s have different prototypes ('%s' and '%s')",
                                 codes[0].triple, codes[i].triple, codes[0].payload.prototype,
                                 codes[i].payload.prototype);
        if (!exports_are_alike(&codes[0].exports, &codes[i].exports))
            return tci_error_set(err, TC_E_INVALID,
                                 "%s and %s export different symbols: expected one list",
                                 codes[0].triple, codes[i].triple);
    }
    return TC_OK;
}

static tc_status add_payload(tci_archive_writer *writer, const tci_payload_request *payload,
                             tc_error *err)
{
    if (payload->readonly)
        tci_archive_writer_readonly(writer);
    if (payload->unit)
        tci_archive_writer_unit(writer);
    if (payload->prototype[0] != '\0')
        TC_TRY(tci_archive_writer_prototype(writer, payload->prototype, err));
    return tci_archive_writer_align(writer, payload->alignment, err);
}

static tc_status add_exports(tci_archive_writer *writer, const tci_ifunc_code *code,
                             tc_error *err)
{
    const tci_text_list *items = &code->exports;
    if (!code->is_library)
        return add_payload(writer, &code->payload, err);
    tci_export *exports = calloc(items->count + 1, sizeof *exports);
    if (exports == NULL || items->failed) {
        free(exports);
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %zu exports", items->count);
    }
    for (size_t i = 0; i < items->count; i++)
        exports[i] = tci_library_exports_of(items->items[i]);
    tc_status status = tci_archive_writer_exports(writer, exports, items->count, err);
    free(exports);
    return status;
}

static tc_status add_code(tci_archive_writer *writer, const tci_ifunc_code *code, tc_error *err)
{
    tci_slice slice = {.form = code->form,
                       .cpu_level = code->cpu_level,
                       .producer_major = code->producer_major,
                       .producer_minor = code->producer_minor,
                       .producer_patch = code->producer_patch};
    memcpy(slice.triple, code->triple, sizeof slice.triple);
    return tci_archive_writer_add(writer, &slice, code->bytes, code->size,
                                  (const char *const *)code->symbols.items, code->symbols.count,
                                  err);
}

tc_status tci_archive_output_pack(const char *name, const tci_ifunc_code *codes, size_t count,
                                  bool plain, void **bytes_out, size_t *size_out, tc_error *err)
{
    tci_archive_writer *writer = NULL;
    if (count == 0)
        return tci_error_set(err, TC_E_INVALID, "no code for any target");
    TC_TRY(check_same_entries(codes, count, err));
    TC_TRY(tci_hole_variables_check(codes, count, err));
    unsigned entries = 0;
    for (size_t i = 0; i < count; i++)
        entries |= codes[i].entries; /* some may lack TCI_ENTRY_LIFE */
    TC_TRY(tci_archive_writer_create(name, entries, &writer, err));
    if (plain)
        tci_archive_writer_plain(writer);
    tc_status status = add_exports(writer, &codes[0], err);
    for (size_t i = 0; i < count && status == TC_OK; i++) {
        if (!codes[i].has_holes || codes[i].form == TCI_FORM_IMAGE)
            status = add_code(writer, &codes[i], err);
    }
    if (status == TC_OK)
        status = tci_archive_writer_finish(writer, bytes_out, size_out, err);
    tci_archive_writer_destroy(writer);
    return status;
}

tc_status tci_archive_output_deps_path(const char *path, char *out, size_t size, tc_error *err)
{
    static const char suffix[] = ".tca";
    size_t n = strlen(path);
    if (n < sizeof suffix || strcmp(path + n - strlen(suffix), suffix) != 0)
        return tci_error_set(err, TC_E_INVALID, "'%s': expected a name that ends in .tca",
                             path);
    int written = snprintf(out, size, "%.*s.deps", (int)(n - strlen(suffix)), path);
    if (written < 0 || (size_t)written >= size)
        return tci_error_set(err, TC_E_INVALID, "'%s': path too long", path);
    return TC_OK;
}

static tc_status remove_file(const char *path, tc_error *err)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return tci_error_errno(err, TC_E_IO, errno, "removing %s", path);
    return TC_OK;
}

tc_status tci_archive_output_write_deps(const char *path, const tci_text_list *sonames,
                                        tc_error *err)
{
    char deps[4096];
    size_t size = 0, at = 0;
    TC_TRY(tci_archive_output_deps_path(path, deps, sizeof deps, err));
    if (sonames->count == 0)
        return remove_file(deps, err);
    for (size_t i = 0; i < sonames->count; i++)
        size += strlen(sonames->items[i]) + 1;
    char *text = malloc(size + 1);
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %s", deps);
    for (size_t i = 0; i < sonames->count; i++)
        at += (size_t)sprintf(text + at, "%s\n", sonames->items[i]);
    tc_status status = tci_archive_file_write(deps, text, size, err);
    free(text);
    return status;
}
