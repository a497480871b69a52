/* An entry is a head of fixed size, four texts, padding, the object and a checksum. The decoder
 * accepts only the layout that the encoder writes. */
#include "cache_entry.h"

#include "base/cursor.h"
#include "base/error_text.h"
#include "engine/cache/cache_seal.h"

#include <string.h>

#define MAGIC "TCOBJECT"
#define SEALED_MAGIC "TCSEALED"
#define MAGIC_BYTES 8u
#define FIXED_BYTES 64u
#define CHECKSUM_BYTES 32u
#define OBJECT_ALIGNMENT 16u /* of the object in the file, for tools that map or dump it */
#define TEXT_COUNT 4u

typedef struct entry_text {
    const char *text;
    size_t bytes;
} entry_text;

bool tci_cache_entry_key_equal(const tci_object_key *a, const tci_object_key *b)
{
    return tci_content_id_equal(&a->id, &b->id) && a->level == b->level &&
           a->slice == b->slice && a->abi == b->abi && strcmp(a->cpu, b->cpu) == 0 &&
           strcmp(a->features, b->features) == 0 && strcmp(a->llvm, b->llvm) == 0;
}

/* A text enters as its own hash, so its end cannot be taken for the beginning of the next. */
static void write_text_hash(tci_writer *w, const char *text)
{
    uint8_t hash[16];
    tci_hash128(text, strlen(text), hash);
    tci_write_bytes(w, hash, sizeof hash);
}

void tci_cache_entry_file_name(const tci_object_key *key, char name_out[TCI_CACHE_FILE_NAME])
{
    uint8_t
        fields[sizeof key->id.bytes + 3 * sizeof(uint32_t) + 3 * 16 + sizeof key->seal.content];
    tci_content_id hash;
    tci_writer w;
    tci_writer_init(&w, fields, sizeof fields);
    tci_write_bytes(&w, key->id.bytes, sizeof key->id.bytes);
    tci_write_u32(&w, key->level);
    tci_write_u32(&w, key->slice);
    tci_write_u32(&w, key->abi);
    write_text_hash(&w, key->cpu);
    write_text_hash(&w, key->features);
    write_text_hash(&w, key->llvm);
    if (key->seal.wanted) /* a file of its own: neither kind deletes the other as damaged */
        tci_write_bytes(&w, key->seal.content, sizeof key->seal.content);
    tci_hash128(fields, w.at, hash.bytes);
    tci_content_id_text(&hash, name_out);
    memcpy(name_out + TCI_CONTENT_ID_TEXT - 1, ".tco", sizeof ".tco");
}

static const char *magic_of(bool sealed)
{
    return sealed ? SEALED_MAGIC : MAGIC;
}

/* Detects accidents; or, sealed, also writers that cannot read the user's key. */
static void checksum_of(const tci_object_key *key, const void *bytes, size_t size,
                        uint8_t out[CHECKSUM_BYTES])
{
    if (key != NULL && key->seal.wanted)
        tci_cache_seal_make(key->seal.content, bytes, size, out);
    else
        tci_hash256(bytes, size, out);
}

static size_t object_place(size_t text_bytes)
{
    size_t end = FIXED_BYTES + text_bytes + TEXT_COUNT;
    return (end + OBJECT_ALIGNMENT - 1) / OBJECT_ALIGNMENT * OBJECT_ALIGNMENT;
}

static void list_texts(const tci_cache_entry *entry, entry_text texts_out[TEXT_COUNT])
{
    const char *const texts[TEXT_COUNT] = {entry->key.cpu, entry->key.features, entry->key.llvm,
                                           entry->name};
    for (size_t i = 0; i < TEXT_COUNT; i++)
        texts_out[i] = (entry_text){texts[i], strlen(texts[i])};
}

size_t tci_cache_entry_bytes(const tci_cache_entry *entry)
{
    entry_text texts[TEXT_COUNT];
    size_t text_bytes = 0;
    list_texts(entry, texts);
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        if (texts[i].bytes > TCI_CACHE_TEXT_MAX)
            return 0;
        text_bytes += texts[i].bytes;
    }
    size_t around = object_place(text_bytes) + CHECKSUM_BYTES;
    if (entry->object_bytes == 0 || entry->object_bytes > TCI_CACHE_ENTRY_BYTES_MAX - around)
        return 0;
    return around + entry->object_bytes;
}

void tci_cache_entry_encode(const tci_cache_entry *entry, void *bytes_out, size_t size)
{
    entry_text texts[TEXT_COUNT];
    tci_writer w;
    list_texts(entry, texts);
    tci_writer_init(&w, bytes_out, size - CHECKSUM_BYTES);
    tci_write_bytes(&w, magic_of(entry->key.seal.wanted), MAGIC_BYTES);
    tci_write_u32(&w, TCI_CACHE_ENTRY_VERSION);
    tci_write_u32(&w, (uint32_t)(size - CHECKSUM_BYTES - entry->object_bytes));
    tci_write_u64(&w, entry->object_bytes);
    tci_write_bytes(&w, entry->key.id.bytes, sizeof entry->key.id.bytes);
    tci_write_u32(&w, entry->key.level);
    tci_write_u32(&w, entry->key.slice);
    tci_write_u32(&w, entry->key.abi);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        tci_write_u16(&w, (uint16_t)texts[i].bytes);
    tci_write_u32(&w, 0);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        tci_write_bytes(&w, texts[i].text, texts[i].bytes + 1);
    tci_write_padding(&w, OBJECT_ALIGNMENT);
    tci_write_bytes(&w, entry->object, entry->object_bytes);
    checksum_of(&entry->key, bytes_out, w.at, (uint8_t *)bytes_out + w.at);
}

/* Checks that the bytes are an entry of this version, whole and unchanged. */
static tc_status check_seal(const uint8_t *bytes, size_t size, const tci_object_key *wanted,
                            tc_error *err)
{
    uint8_t checksum[CHECKSUM_BYTES];
    tci_reader r;
    if (size < FIXED_BYTES + CHECKSUM_BYTES || size > TCI_CACHE_ENTRY_BYTES_MAX)
        return tci_error_set(err, TC_E_CORRUPT, "%zu bytes, expected %u to %u", size,
                             FIXED_BYTES + CHECKSUM_BYTES, TCI_CACHE_ENTRY_BYTES_MAX);
    bool sealed = memcmp(bytes, SEALED_MAGIC, MAGIC_BYTES) == 0;
    if ((!sealed && memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) ||
        (wanted != NULL && wanted->seal.wanted != sealed))
        return tci_error_set(err, TC_E_CORRUPT, "it does not begin with %s",
                             magic_of(wanted != NULL && wanted->seal.wanted));
    tci_reader_init(&r, bytes + MAGIC_BYTES, size - MAGIC_BYTES);
    uint32_t version = tci_read_u32(&r);
    if (version != TCI_CACHE_ENTRY_VERSION)
        return tci_error_set(err, TC_E_VERSION, "format version %u, expected %u", version,
                             TCI_CACHE_ENTRY_VERSION);
    if (sealed && wanted == NULL)
        return TC_OK;
    checksum_of(wanted, bytes, size - CHECKSUM_BYTES, checksum);
    if (memcmp(checksum, bytes + size - CHECKSUM_BYTES, CHECKSUM_BYTES) != 0)
        return tci_error_set(err, TC_E_CORRUPT, "its bytes do not match its checksum");
    return TC_OK;
}

/* NULL unless `n` bytes without a zero, then a zero, follow. */
static const char *read_text(tci_reader *r, size_t n)
{
    const uint8_t *text = tci_read_bytes(r, n + 1);
    return text != NULL && memchr(text, 0, n + 1) == text + n ? (const char *)text : NULL;
}

static bool read_zeros_to(tci_reader *r, size_t offset)
{
    while (r->at < offset && !r->failed) {
        if (tci_read_u8(r) != 0)
            return false;
    }
    return r->at == offset;
}

/* Reads the part of fixed size, which check_seal has found to be there. */
static tc_status read_fixed(tci_reader *r, tci_cache_entry *entry, size_t lengths[TEXT_COUNT],
                            tc_error *err)
{
    size_t text_bytes = 0;
    (void)tci_read_bytes(r, MAGIC_BYTES + sizeof(uint32_t));
    uint32_t object_at = tci_read_u32(r);
    uint64_t object_bytes = tci_read_u64(r);
    memcpy(entry->key.id.bytes, tci_read_bytes(r, sizeof entry->key.id.bytes),
           sizeof entry->key.id.bytes);
    entry->key.level = tci_read_u32(r);
    entry->key.slice = tci_read_u32(r);
    entry->key.abi = tci_read_u32(r);
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        lengths[i] = tci_read_u16(r);
        text_bytes += lengths[i];
    }
    uint32_t reserved = tci_read_u32(r);
    if (reserved != 0 || object_at != object_place(text_bytes) || object_at > r->size ||
        object_bytes == 0 || object_bytes != r->size - object_at)
        return tci_error_set(err, TC_E_CORRUPT,
                             "an object of %llu bytes at %u does not fit %zu bytes of texts in "
                             "a file of %zu",
                             (unsigned long long)object_bytes, object_at, text_bytes,
                             r->size + CHECKSUM_BYTES);
    entry->object_bytes = (size_t)object_bytes;
    return TC_OK;
}

static tc_status read_texts(tci_reader *r, tci_cache_entry *entry,
                            const size_t lengths[TEXT_COUNT], tc_error *err)
{
    const char **const texts[TEXT_COUNT] = {&entry->key.cpu, &entry->key.features,
                                            &entry->key.llvm, &entry->name};
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        *texts[i] = lengths[i] <= TCI_CACHE_TEXT_MAX ? read_text(r, lengths[i]) : NULL;
        if (*texts[i] == NULL)
            return tci_error_set(err, TC_E_CORRUPT, "text %zu is not one of %zu bytes", i,
                                 lengths[i]);
    }
    if (!read_zeros_to(r, r->size - entry->object_bytes))
        return tci_error_set(err, TC_E_CORRUPT, "bytes between the texts and the object");
    return TC_OK;
}

/* Each entry has one encoding, and wrong lengths are refused: a right checksum proves only that
 * the bytes are those that were written. */
tc_status tci_cache_entry_decode(const void *bytes, size_t size, const tci_object_key *wanted,
                                 tci_cache_entry *entry_out, tc_error *err)
{
    tci_cache_entry entry = {0};
    size_t lengths[TEXT_COUNT];
    tci_reader r;
    TC_TRY(check_seal(bytes, size, wanted, err));
    entry.key.seal.wanted = memcmp(bytes, SEALED_MAGIC, MAGIC_BYTES) == 0;
    tci_reader_init(&r, bytes, size - CHECKSUM_BYTES);
    TC_TRY(read_fixed(&r, &entry, lengths, err));
    TC_TRY(read_texts(&r, &entry, lengths, err));
    entry.object = tci_read_bytes(&r, entry.object_bytes);
    *entry_out = entry;
    return TC_OK;
}

bool tci_cache_entry_head_has(const uint8_t head[TCI_CACHE_ENTRY_HEAD_BYTES],
                              const tci_content_id *id)
{
    const size_t id_at = MAGIC_BYTES + 2 * sizeof(uint32_t) + sizeof(uint64_t);
    return (memcmp(head, MAGIC, MAGIC_BYTES) == 0 ||
            memcmp(head, SEALED_MAGIC, MAGIC_BYTES) == 0) &&
           memcmp(head + id_at, id->bytes, sizeof id->bytes) == 0;
}
