/* Bytes as an archive: as they are, and once more with a checksum that fits, without which
 * nothing behind the checksum would ever be reached. An archive that opens must be readable to
 * its end. */
#include "archive.h"
#include "archive_layout.h"
#include "code_statement.h"
#include "fuzzer.h"
#include "prototype.h"

#include <string.h>

/* Touches every byte, so that a sanitizer judges the view. */
static unsigned sum_bytes(const uint8_t *bytes, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    return sum;
}

static void check_slice(const tci_archive *archive, size_t index)
{
    static volatile unsigned sink;
    const tci_slice *slice = tci_archive_slice(archive, index);
    tc_error err;
    size_t selected;
    MUST(slice->size > 0 && slice->size <= tci_archive_content_size(archive));
    sink += sum_bytes(tci_archive_slice_bytes(archive, index), slice->size);
    for (size_t i = 0; i < slice->symbol_count; i++) {
        size_t length = strlen(tci_archive_symbol(archive, index, i));
        MUST(length > 0 && length < TCI_ARCHIVE_SYMBOL_MAX);
    }
    if (tci_archive_select(archive, slice->triple, &selected, &err) == TC_OK)
        MUST(strcmp(tci_archive_slice(archive, selected)->triple, slice->triple) == 0);
    else
        MUST(err.status == TC_E_NO_SLICE);
}

static void check_exports(const tci_archive *archive)
{
    const size_t count = tci_archive_export_count(archive);
    MUST(count == 0 || tci_archive_is_library(archive));
    for (size_t i = 0; i < count; i++) {
        const tci_export one = tci_archive_export(archive, i);
        MUST(one.kind == TCI_EXPORT_FUNCTION || one.kind == TCI_EXPORT_DATA);
        MUST(one.name[0] != '\0' && strlen(one.name) < TCI_ARCHIVE_SYMBOL_MAX);
        MUST(i == 0 || strcmp(tci_archive_export(archive, i - 1).name, one.name) < 0);
    }
}

/* The signed text of unchecked bytes is the same as of the opened archive. */
static void check_statement(const tci_archive *archive, const uint8_t *data, size_t size)
{
    const tci_code_bytes code = {data, size, "deps", 4};
    tci_code_digests before = {.content = {0}}, after = before;
    tci_code_statement_digest(&code, &before);
    tci_code_statement_digests(&code, archive, &after);
    if (tci_code_statement_shows_content(&code))
        MUST(memcmp(before.content, after.content, sizeof before.content) == 0);
    else
        MUST(memcmp(before.archive, after.archive, sizeof before.archive) == 0);
}

static void check_archive(const uint8_t *data, size_t size)
{
    tci_archive *archive;
    tc_error err = {.status = TC_OK};
    tc_status status = tci_archive_open(data, size, &archive, &err);
    if (status != TC_OK) {
        MUST(err.status == status && err.text[0] != '\0');
        return;
    }
    MUST((tci_archive_entries(archive) & TCI_ENTRY_MAIN) != 0);
    MUST(tci_archive_name(archive)[0] != '\0');
    const unsigned alignment = tci_archive_payload_alignment(archive);
    MUST(alignment >= TCI_PAYLOAD_ALIGNMENT_MIN && alignment <= TCI_PAYLOAD_ALIGNMENT_MAX &&
         (alignment & (alignment - 1)) == 0);
    for (size_t i = 0; i < tci_archive_slice_count(archive); i++)
        check_slice(archive, i);
    check_exports(archive);
    const char *prototype = tci_archive_prototype(archive);
    MUST(prototype == NULL ||
         (strlen(prototype) >= 2 && strlen(prototype) < TCI_PROTOTYPE_MAX));
    check_statement(archive, data, size);
    tci_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_archive(data, size);
    if (size < TCI_ARCHIVE_CHECKSUM_SIZE)
        return 0;
    uint8_t *fitting = malloc(size);
    if (fitting == NULL)
        return 0;
    size_t covered = size - TCI_ARCHIVE_CHECKSUM_SIZE;
    memcpy(fitting, data, covered);
    tci_archive_checksum(fitting, covered, fitting + covered);
    check_archive(fitting, size);
    free(fitting);
    return 0;
}
