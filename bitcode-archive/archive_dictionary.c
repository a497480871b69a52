/* The bytes are in dictionary_files.c, which the build generates from the files. */
#include "archive_dictionary.h"

#include "archive_layout.h"
#include "archive_units.h"
#include "base/error_text.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

extern const tci_dictionary_file tci_dictionary_files[];
extern const size_t tci_dictionary_file_count;

static _Atomic(ZSTD_DDict *) unpackers[TCI_DICTIONARIES_MAX];

size_t tci_dictionary_count(void)
{
    assert(tci_dictionary_file_count <= TCI_DICTIONARIES_MAX);
    return tci_dictionary_file_count;
}

const tci_dictionary_file *tci_dictionary_at(size_t index)
{
    assert(index < tci_dictionary_file_count);
    return &tci_dictionary_files[index];
}

size_t tci_dictionary_find(uint32_t id)
{
    for (size_t i = 0; i < tci_dictionary_file_count; i++) {
        if (tci_dictionary_files[i].id == id)
            return i;
    }
    return TCI_DICTIONARY_NONE;
}

uint32_t tci_dictionary_id_of(const void *bytes, size_t size)
{
    uint8_t sum[TCI_ARCHIVE_CHECKSUM_SIZE];
    tci_archive_checksum(bytes, size, sum);
    return (uint32_t)sum[0] | (uint32_t)sum[1] << 8 | (uint32_t)sum[2] << 16 |
           (uint32_t)sum[3] << 24;
}

tc_status tci_dictionary_expand(size_t index, uint8_t **bytes_out, size_t *size_out,
                                tc_error *err)
{
    const tci_dictionary_file *file = tci_dictionary_at(index);
    assert(file->size > TCI_DICTIONARY_HEAD_SIZE);
    const uint8_t *tables = file->bytes + TCI_DICTIONARY_HEAD_SIZE;
    size_t tables_size = (size_t)file->bytes[0] | (size_t)file->bytes[1] << 8;
    assert(tables_size < file->size - TCI_DICTIONARY_HEAD_SIZE);
    size_t content_size = file->size - TCI_DICTIONARY_HEAD_SIZE - tables_size;
    size_t size = tables_size + content_size * TCI_UNITS_PER_BYTE;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "dictionary: no memory for %zu bytes", size);
    memcpy(bytes, tables, tables_size);
    tci_units_spread(tables + tables_size, content_size, bytes + tables_size);
    *bytes_out = bytes;
    *size_out = size;
    return TC_OK;
}

const ZSTD_DDict *tci_dictionary_unpacker(size_t index)
{
    ZSTD_DDict *made = atomic_load_explicit(&unpackers[index], memory_order_acquire);
    uint8_t *bytes;
    size_t size;
    if (made != NULL || tci_dictionary_expand(index, &bytes, &size, NULL) != TC_OK)
        return made;
    made = ZSTD_createDDict(bytes, size);
    free(bytes);
    ZSTD_DDict *first = NULL;
    if (made == NULL || atomic_compare_exchange_strong(&unpackers[index], &first, made))
        return made;
    (void)ZSTD_freeDDict(made); /* another thread was faster */
    return first;
}
