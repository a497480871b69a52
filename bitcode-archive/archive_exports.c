/* Names are views of the content; the byte in front of each is its kind. */
#include "archive_exports.h"

#include "archive_name.h"
#include "base/error_text.h"
#include "varint.h"

#include <stdlib.h>
#include <string.h>

/* --- reading ----------------------------------------------------------------------------- */

static tc_status malformed(const char *what, size_t index, tc_error *err)
{
    return tci_error_set(err, TC_E_CORRUPT, "archive index: export %zu: %s", index, what);
}

static tc_status read_export(tci_reader *r, size_t index, const char **name_out, tc_error *err)
{
    const uint8_t kind = tci_read_u8(r);
    const size_t left = tci_reader_left(r);
    const char *name = (const char *)r->data + r->at;
    if (r->failed || memchr(name, '\0', left) == NULL)
        return malformed("malformed name", index, err);
    if (kind != TCI_EXPORT_FUNCTION && kind != TCI_EXPORT_DATA)
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive index: export %zu has kind %u, expected 1 or 2", index,
                             kind);
    TC_TRY(tci_archive_check_symbol(name, TC_E_CORRUPT, err));
    (void)tci_read_bytes(r, strlen(name) + 1);
    *name_out = name;
    return TC_OK;
}

tc_status tci_archive_exports_read(tci_reader *r, tci_exports *exports, tc_error *err)
{
    const size_t count = tci_varint_read(r);
    exports->is_library = true;
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "archive index: malformed count of exports");
    if (count > TCI_ARCHIVE_SYMBOLS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "archive index: %zu exports, limit %d", count,
                             TCI_ARCHIVE_SYMBOLS_MAX);
    if (count > tci_reader_left(r) / 3) /* each takes at least three bytes */
        return tci_error_set(err, TC_E_CORRUPT, "archive index: more exports than bytes");
    /* bound: TCI_ARCHIVE_SYMBOLS_MAX */
    exports->names = calloc(count + 1, sizeof *exports->names);
    if (exports->names == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu exports", count);
    for (size_t i = 0; i < count; i++) {
        TC_TRY(read_export(r, i, &exports->names[i], err));
        if (i > 0 && strcmp(exports->names[i - 1], exports->names[i]) >= 0)
            return malformed("not in byte order", i, err);
        exports->count = i + 1;
    }
    return TC_OK;
}

void tci_archive_exports_free(tci_exports *exports)
{
    free(exports->names);
}

/* --- writing ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(((const tci_export *)a)->name, ((const tci_export *)b)->name);
}

static tc_status check_sorted(const tci_export *sorted, size_t count, size_t *bytes_out,
                              tc_error *err)
{
    *bytes_out = TCI_VARINT_MAX_SIZE;
    for (size_t i = 0; i < count; i++) {
        TC_TRY(tci_archive_check_symbol(sorted[i].name, TC_E_INVALID, err));
        if (i > 0 && strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            return tci_error_set(err, TC_E_INVALID, "archive: two exports are called %s",
                                 sorted[i].name);
        *bytes_out += 1 + strlen(sorted[i].name) + 1;
    }
    return TC_OK;
}

static tc_status write_sorted(const tci_export *sorted, size_t count, void **bytes_out,
                              size_t *size_out, tc_error *err)
{
    tci_writer w;
    size_t bound;
    TC_TRY(check_sorted(sorted, count, &bound, err));
    uint8_t *bytes = malloc(bound);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu exports", count);
    tci_writer_init(&w, bytes, bound);
    tci_varint_write(&w, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        tci_write_u8(&w, (uint8_t)sorted[i].kind);
        tci_write_bytes(&w, sorted[i].name, strlen(sorted[i].name) + 1);
    }
    *bytes_out = bytes;
    *size_out = w.at;
    return TC_OK;
}

tc_status tci_archive_exports_copy(const tci_export *list, size_t count, void **bytes_out,
                                   size_t *size_out, tc_error *err)
{
    if (count > TCI_ARCHIVE_SYMBOLS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "archive: %zu exports, limit %d", count,
                             TCI_ARCHIVE_SYMBOLS_MAX);
    /* bound: TCI_ARCHIVE_SYMBOLS_MAX */
    tci_export *sorted = calloc(count + 1, sizeof *sorted);
    if (sorted == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu exports", count);
    if (count > 0)
        memcpy(sorted, list, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    tc_status status = write_sorted(sorted, count, bytes_out, size_out, err);
    free(sorted);
    return status;
}
