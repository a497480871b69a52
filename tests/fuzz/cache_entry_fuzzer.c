/* Bytes as a file of the object cache, as they are and with a checksum that is right: nothing
 * that the checksum lets through may be believed either. What decodes has one form only. */
#include "engine/cache/cache_entry.h"

#include <stdlib.h>
#include <string.h>

#define CHECKSUM_BYTES 32u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_text(const uint8_t *bytes, size_t size, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    require(at > bytes && at < bytes + size);
    require(memchr(at, 0, (size_t)(bytes + size - at)) != NULL);
    require(strlen(text) <= TCI_CACHE_TEXT_MAX);
}

static void check_decoded(const uint8_t *bytes, size_t size, const tci_cache_entry *entry)
{
    char name[TCI_CACHE_FILE_NAME];
    const uint8_t *object = entry->object;
    check_text(bytes, size, entry->key.cpu);
    check_text(bytes, size, entry->key.features);
    check_text(bytes, size, entry->key.llvm);
    check_text(bytes, size, entry->name);
    require(entry->object_bytes > 0);
    require(object > bytes && object + entry->object_bytes == bytes + size - CHECKSUM_BYTES);
    tci_cache_entry_file_name(&entry->key, name);
    require(tci_cache_entry_key_equal(&entry->key, &entry->key));

    require(tci_cache_entry_bytes(entry) == size);
    uint8_t *again = malloc(size);
    if (again == NULL)
        return;
    tci_cache_entry_encode(entry, again, size);
    require(memcmp(again, bytes, size) == 0);
    free(again);
}

static void decode(const uint8_t *bytes, size_t size)
{
    tci_cache_entry entry;
    tc_error err = {.status = TC_OK};
    tc_status status = tci_cache_entry_decode(bytes, size, NULL, &entry, &err);
    if (status == TC_OK)
        check_decoded(bytes, size, &entry);
    else
        require(err.status == status && err.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    if (size < CHECKSUM_BYTES)
        return 0;
    uint8_t *sealed = malloc(size);
    if (sealed == NULL)
        return 0;
    memcpy(sealed, data, size);
    tci_hash256(data, size - CHECKSUM_BYTES, sealed + size - CHECKSUM_BYTES);
    decode(sealed, size);
    free(sealed);
    return 0;
}
