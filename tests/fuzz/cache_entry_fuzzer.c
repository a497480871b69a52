/* Bytes as a file of the object cache, as they are and with a checksum or a seal that is right:
 * nothing that those let through may be believed either. An entry that decodes has one form
 * only. */
#include "engine/cache/cache_entry.h"
#include "engine/cache/cache_seal.h"
#include "fuzzer.h"

#include <string.h>

#define CHECKSUM_BYTES 32u

static void check_text(const uint8_t *bytes, size_t size, const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    MUST(at > bytes && at < bytes + size);
    MUST(memchr(at, 0, (size_t)(bytes + size - at)) != NULL);
    MUST(strlen(text) <= TCI_CACHE_TEXT_MAX);
}

/* An unchecked seal may be any. */
static void check_decoded(const uint8_t *bytes, size_t size, const tci_cache_entry *entry,
                          bool sealed_right)
{
    char name[TCI_CACHE_FILE_NAME];
    const uint8_t *object = entry->object;
    check_text(bytes, size, entry->key.cpu);
    check_text(bytes, size, entry->key.features);
    check_text(bytes, size, entry->key.llvm);
    check_text(bytes, size, entry->name);
    MUST(entry->object_bytes > 0);
    MUST(object > bytes && object + entry->object_bytes == bytes + size - CHECKSUM_BYTES);
    tci_cache_entry_file_name(&entry->key, name);
    MUST(tci_cache_entry_key_equal(&entry->key, &entry->key));

    MUST(tci_cache_entry_bytes(entry) == size);
    uint8_t *again = malloc(size);
    if (again == NULL)
        return;
    tci_cache_entry_encode(entry, again, size);
    MUST(memcmp(again, bytes, sealed_right ? size : size - CHECKSUM_BYTES) == 0);
    free(again);
}

/* `wanted`: the key of the seal that it has to have, or NULL. */
static void decode(const uint8_t *bytes, size_t size, const tci_object_key *wanted)
{
    tci_cache_entry entry;
    tc_error err = {.status = TC_OK};
    tc_status status = tci_cache_entry_decode(bytes, size, wanted, &entry, &err);
    MUST(status == TC_OK || (err.status == status && err.text[0] != '\0'));
    if (status != TC_OK)
        return;
    if (wanted != NULL)
        entry.key.seal = wanted->seal;
    check_decoded(bytes, size, &entry, wanted != NULL || !entry.key.seal.wanted);
}

static void decode_with(const uint8_t *data, size_t size, const tci_object_key *wanted)
{
    uint8_t *sealed = malloc(size);
    if (sealed == NULL)
        return;
    memcpy(sealed, data, size);
    size -= CHECKSUM_BYTES;
    if (wanted != NULL) /* the user's key is not read here, and is all zeros */
        tci_cache_seal_make(wanted->seal.content, data, size, sealed + size);
    else
        tci_hash256(data, size, sealed + size);
    decode(sealed, size + CHECKSUM_BYTES, wanted);
    free(sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tci_object_key signed_code = {.seal = {.wanted = true, .content = {1, 2, 3}}};
    decode(data, size, NULL);
    decode(data, size, &signed_code);
    if (size < CHECKSUM_BYTES)
        return 0;
    decode_with(data, size, NULL);
    decode_with(data, size, &signed_code);
    return 0;
}
