/* Writes and reads secret keys, encrypted with scrypt or not, and signs with libsodium. */
#include "minisign_secret.h"

#include "base/cursor.h"
#include "base/error_text.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define COMMENT "untrusted comment: "
#define COMMENT_MAX 256
#define SALT_BYTES crypto_pwhash_scryptsalsa208sha256_SALTBYTES

/* The tool uses the same costs: 2^25 operations, and the memory that scrypt wants for them. */
#define OPERATIONS crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE
#define MEMORY crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE

/* The bytes of a secret key: kinds of signature, key derivation and checksum; salt, operations
 * u64, memory u64; then the part that may be encrypted: id, key, checksum. */
#define SEALED_AT (6u + SALT_BYTES + 16u)
#define SEALED_BYTES (TCI_KEY_ID_BYTES + 64u + 32u)
#define SECRET_BYTES (SEALED_AT + SEALED_BYTES)

tc_status tci_minisign_secret_create(tci_minisign_secret *secret_out, tc_error *err)
{
    if (sodium_init() < 0)
        return tci_error_set(err, TC_E_UNSUPPORTED, "libsodium could not be started");
    randombytes_buf(secret_out->public.id, sizeof secret_out->public.id);
    crypto_sign_keypair(secret_out->public.key, secret_out->key);
    return TC_OK;
}

void tci_minisign_secret_wipe(tci_minisign_secret *secret)
{
    sodium_memzero(secret, sizeof *secret);
}

void tci_minisign_secret_wipe_text(char *text, size_t size)
{
    sodium_memzero(text, size);
}

/* --- texts ------------------------------------------------------------------------------- */

static void write_base64(char *out, size_t capacity, const uint8_t *bytes, size_t size)
{
    sodium_bin2base64(out, capacity, bytes, size, sodium_base64_VARIANT_ORIGINAL);
}

void tci_minisign_public_text(const tci_minisign_public *key,
                              char text_out[TCI_MINISIGN_PUBLIC_TEXT])
{
    uint8_t bytes[2 + sizeof *key] = {'E', 'd'};
    char id[TCI_KEY_ID_TEXT],
        base64[sodium_base64_ENCODED_LEN(sizeof bytes, sodium_base64_VARIANT_ORIGINAL)];
    memcpy(bytes + 2, key->id, sizeof key->id);
    memcpy(bytes + 2 + sizeof key->id, key->key, sizeof key->key);
    write_base64(base64, sizeof base64, bytes, sizeof bytes);
    tci_minisign_id_text(key->id, id);
    (void)snprintf(text_out, TCI_MINISIGN_PUBLIC_TEXT, COMMENT "minisign public key %s\n%s\n",
                   id, base64);
}

static void checksum_of(const uint8_t kind[2], const uint8_t *id_and_key, uint8_t out[32])
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, 32);
    crypto_generichash_update(&state, kind, 2);
    crypto_generichash_update(&state, id_and_key, TCI_KEY_ID_BYTES + 64);
    crypto_generichash_final(&state, out, 32);
}

/* Encrypts or decrypts: a second call with the same arguments restores the bytes. */
static tc_status encrypt(uint8_t *sealed, const char *password, const uint8_t *salt,
                         uint64_t operations, uint64_t memory, tc_error *err)
{
    uint8_t stream[SEALED_BYTES];
    if (crypto_pwhash_scryptsalsa208sha256(stream, sizeof stream, password, strlen(password),
                                           salt, operations, (size_t)memory) != 0)
        return tci_error_set(err, TC_E_NO_MEMORY,
                             "secret key: scrypt with %llu bytes of memory: out of memory",
                             (unsigned long long)memory);
    for (size_t i = 0; i < sizeof stream; i++)
        sealed[i] ^= stream[i];
    sodium_memzero(stream, sizeof stream);
    return TC_OK;
}

tc_status tci_minisign_secret_text(const tci_minisign_secret *secret, const char *password,
                                   char text_out[TCI_MINISIGN_SECRET_TEXT], tc_error *err)
{
    uint8_t bytes[SECRET_BYTES], salt[SALT_BYTES] = {0};
    char base64[sodium_base64_ENCODED_LEN(SECRET_BYTES, sodium_base64_VARIANT_ORIGINAL)];
    tc_status status = TC_OK;
    tci_writer w;
    tci_writer_init(&w, bytes, sizeof bytes);
    tci_write_bytes(&w, "Ed", 2);
    tci_write_bytes(&w, password != NULL ? "Sc" : "\0", 2);
    tci_write_bytes(&w, "B2", 2);
    if (password != NULL)
        randombytes_buf(salt, sizeof salt);
    tci_write_bytes(&w, salt, sizeof salt);
    tci_write_u64(&w, password != NULL ? OPERATIONS : 0);
    tci_write_u64(&w, password != NULL ? MEMORY : 0);
    tci_write_bytes(&w, secret->public.id, sizeof secret->public.id);
    tci_write_bytes(&w, secret->key, sizeof secret->key);
    checksum_of(bytes, bytes + SEALED_AT, bytes + w.at);
    if (password != NULL)
        status = encrypt(bytes + SEALED_AT, password, salt, OPERATIONS, MEMORY, err);
    write_base64(base64, sizeof base64, bytes, sizeof bytes);
    (void)snprintf(text_out, TCI_MINISIGN_SECRET_TEXT, COMMENT "minisign secret key\n%s\n",
                   base64);
    sodium_memzero(bytes, sizeof bytes);
    sodium_memzero(base64, sizeof base64);
    return status;
}

/* --- reading ----------------------------------------------------------------------------- */

static tc_status decode(const char *text, size_t size, uint8_t bytes_out[SECRET_BYTES],
                        tc_error *err)
{
    const char *line = memchr(text, '\n', size);
    size_t prefix = sizeof COMMENT - 1, got;
    if (size < prefix || memcmp(text, COMMENT, prefix) != 0 || line == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "no line that begins with '" COMMENT "'");
    size_t left = size - (size_t)(++line - text);
    while (left > 0 && (line[left - 1] == '\n' || line[left - 1] == '\r'))
        left--;
    if (sodium_base642bin(bytes_out, SECRET_BYTES, line, left, NULL, &got, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        got != SECRET_BYTES)
        return tci_error_set(err, TC_E_CORRUPT,
                             "the second line is not %u bytes of a secret key in base64",
                             (unsigned)SECRET_BYTES);
    if (memcmp(bytes_out, "Ed", 2) != 0 || memcmp(bytes_out + 4, "B2", 2) != 0 ||
        (memcmp(bytes_out + 2, "Sc", 2) != 0 && memcmp(bytes_out + 2, "\0", 2) != 0))
        return tci_error_set(err, TC_E_CORRUPT, "no secret key of minisign's");
    return TC_OK;
}

bool tci_minisign_secret_is_encrypted(const char *text, size_t size)
{
    uint8_t bytes[SECRET_BYTES];
    bool encrypted = decode(text, size, bytes, NULL) == TC_OK && bytes[2] == 'S';
    sodium_memzero(bytes, sizeof bytes);
    return encrypted;
}

/* Decrypts the sealed part, if it is encrypted. A file that asks for higher costs of scrypt
 * than the tool does at most is refused. */
static tc_status open_sealed(uint8_t bytes[SECRET_BYTES], const char *password, tc_error *err)
{
    tci_reader r;
    if (bytes[2] != 'S')
        return TC_OK;
    if (password == NULL)
        return tci_error_set(err, TC_E_REFUSED, "the secret key needs a password");
    tci_reader_init(&r, bytes + 6, SECRET_BYTES - 6);
    const uint8_t *salt = tci_read_bytes(&r, SALT_BYTES);
    uint64_t operations = tci_read_u64(&r), memory = tci_read_u64(&r);
    if (operations > OPERATIONS || memory > MEMORY)
        return tci_error_set(err, TC_E_CORRUPT, "a secret key that costs more than any other");
    return encrypt(bytes + SEALED_AT, password, salt, operations, memory, err);
}

static tc_status take_key(const uint8_t bytes[SECRET_BYTES], tci_minisign_secret *secret_out,
                          tc_error *err)
{
    uint8_t checksum[32] = {0};
    const uint8_t *sealed = bytes + SEALED_AT, *found = sealed + TCI_KEY_ID_BYTES + 64;
    checksum_of(bytes, sealed, checksum);
    /* A key that the tool made without a password has no checksum. */
    bool open = bytes[2] != 'S' && sodium_is_zero(found, sizeof checksum);
    if (!open && sodium_memcmp(checksum, found, sizeof checksum) != 0)
        return tci_error_set(err, bytes[2] == 'S' ? TC_E_REFUSED : TC_E_CORRUPT, "%s",
                             bytes[2] == 'S' ? "the password does not open the secret key"
                                             : "the secret key's checksum does not fit");
    memcpy(secret_out->public.id, sealed, TCI_KEY_ID_BYTES);
    memcpy(secret_out->key, sealed + TCI_KEY_ID_BYTES, sizeof secret_out->key);
    crypto_sign_ed25519_sk_to_pk(secret_out->public.key, secret_out->key);
    return TC_OK;
}

tc_status tci_minisign_secret_parse(const char *text, size_t size, const char *password,
                                    tci_minisign_secret *secret_out, tc_error *err)
{
    uint8_t bytes[SECRET_BYTES];
    tc_status status = decode(text, size, bytes, err);
    if (status == TC_OK)
        status = open_sealed(bytes, password, err);
    if (status == TC_OK)
        status = take_key(bytes, secret_out, err);
    sodium_memzero(bytes, sizeof bytes);
    return status;
}

/* --- signing ----------------------------------------------------------------------------- */

void tci_minisign_sign(const tci_minisign_secret *secret, const void *message, size_t size,
                       const char *comment, char text_out[TCI_MINISIGN_SIGNATURE_TEXT])
{
    uint8_t hash[crypto_generichash_BYTES_MAX], whole[TCI_SIGNATURE_BYTES];
    uint8_t bytes[2 + TCI_KEY_ID_BYTES + TCI_SIGNATURE_BYTES] = {'E', 'D'};
    uint8_t commented[TCI_SIGNATURE_BYTES + COMMENT_MAX];
    char base64[2][sodium_base64_ENCODED_LEN(sizeof bytes, sodium_base64_VARIANT_ORIGINAL)];
    char id[TCI_KEY_ID_TEXT];
    size_t comment_size = strnlen(comment, COMMENT_MAX);
    crypto_generichash(hash, sizeof hash, message, size, NULL, 0);
    crypto_sign_detached(whole, NULL, hash, sizeof hash, secret->key);
    memcpy(bytes + 2, secret->public.id, TCI_KEY_ID_BYTES);
    memcpy(bytes + 2 + TCI_KEY_ID_BYTES, whole, sizeof whole);
    memcpy(commented, whole, sizeof whole);
    memcpy(commented + sizeof whole, comment, comment_size);
    crypto_sign_detached(whole, NULL, commented, sizeof whole + comment_size, secret->key);
    write_base64(base64[0], sizeof base64[0], bytes, sizeof bytes);
    write_base64(base64[1], sizeof base64[1], whole, sizeof whole);
    tci_minisign_id_text(secret->public.id, id);
    (void)snprintf(text_out, TCI_MINISIGN_SIGNATURE_TEXT,
                   COMMENT "signature by minisign secret key %s\n%s\n"
                           "trusted comment: %.*s\n%s\n",
                   id, base64[0], (int)comment_size, comment, base64[1]);
}
