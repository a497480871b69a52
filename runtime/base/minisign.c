/* Parses key and signature files line by line, and verifies signatures with libsodium. */
#include "minisign.h"

#include "base/error_text.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNTRUSTED "untrusted comment: "
#define TRUSTED "trusted comment: "
#define LINE_MAX_BYTES 1024u

_Static_assert(sizeof(((tci_minisign_public *)0)->key) == crypto_sign_PUBLICKEYBYTES &&
                   TCI_SIGNATURE_BYTES == crypto_sign_BYTES,
               "Ed25519");

void tci_minisign_id_text(const uint8_t id[TCI_KEY_ID_BYTES], char text_out[TCI_KEY_ID_TEXT])
{
    for (size_t i = 0; i < TCI_KEY_ID_BYTES; i++)
        (void)snprintf(text_out + 2 * i, 3, "%02X", id[TCI_KEY_ID_BYTES - 1 - i]);
}

/* --- lines ------------------------------------------------------------------------------- */

typedef struct lines {
    const char *at, *end;
} lines;

/* Reads the next line without its end. DOS line ends are allowed. */
static bool next_line(lines *l, const char **line_out, size_t *size_out)
{
    if (l->at == l->end)
        return false;
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    size_t size = (size_t)((stop != NULL ? stop : l->end) - l->at);
    *line_out = l->at;
    l->at += size + (stop != NULL);
    while (size > 0 && (*line_out)[size - 1] == '\r')
        size--;
    *size_out = size;
    return true;
}

/* Removes the prefix from the line. Returns false when the line does not begin with it. */
static bool take_prefix(const char **line, size_t *size, const char *prefix)
{
    size_t n = strlen(prefix);
    if (*size < n || memcmp(*line, prefix, n) != 0)
        return false;
    *line += n;
    *size -= n;
    return true;
}

static tc_status read_comment(lines *l, const char *prefix, size_t max, const char **text_out,
                              size_t *size_out, tc_error *err)
{
    if (!next_line(l, text_out, size_out) || !take_prefix(text_out, size_out, prefix))
        return tci_error_set(err, TC_E_CORRUPT, "no line that begins with '%s'", prefix);
    if (*size_out > max)
        return tci_error_set(err, TC_E_CORRUPT, "a comment of %zu bytes, limit %zu", *size_out,
                             max);
    return TC_OK;
}

static tc_status read_base64(lines *l, const char *what, uint8_t *bytes_out, size_t size,
                             tc_error *err)
{
    const char *line, *end;
    size_t line_size, got;
    if (!next_line(l, &line, &line_size))
        return tci_error_set(err, TC_E_CORRUPT, "no line with the %s", what);
    if (sodium_base642bin(bytes_out, size, line, line_size, NULL, &got, &end,
                          sodium_base64_VARIANT_ORIGINAL) != 0 ||
        got != size || end != line + line_size)
        return tci_error_set(err, TC_E_CORRUPT,
                             "the line with the %s is not %zu bytes in base64", what, size);
    return TC_OK;
}

/* --- files ------------------------------------------------------------------------------- */

tc_status tci_minisign_public_parse(const char *text, size_t size, tci_minisign_public *key_out,
                                    const char **rest_out, tc_error *err)
{
    lines l = {text, text + size};
    uint8_t bytes[2 + TCI_KEY_ID_BYTES + sizeof key_out->key];
    const char *comment;
    size_t comment_size;
    TC_TRY(read_comment(&l, UNTRUSTED, LINE_MAX_BYTES, &comment, &comment_size, err));
    TC_TRY(read_base64(&l, "key", bytes, sizeof bytes, err));
    if (memcmp(bytes, "Ed", 2) != 0)
        return tci_error_set(err, TC_E_CORRUPT, "a key of kind %02x%02x, expected 4564 (Ed)",
                             bytes[0], bytes[1]);
    memcpy(key_out->id, bytes + 2, sizeof key_out->id);
    memcpy(key_out->key, bytes + 2 + sizeof key_out->id, sizeof key_out->key);
    *rest_out = l.at;
    return TC_OK;
}

static tc_status check_kind(const uint8_t bytes[2], tc_error *err)
{
    if (memcmp(bytes, "ED", 2) == 0)
        return TC_OK;
    if (memcmp(bytes, "Ed", 2) == 0)
        return tci_error_set(err, TC_E_VERSION,
                             "a signature of minisign's older kind (Ed), expected a prehashed "
                             "one (ED)");
    return tci_error_set(err, TC_E_CORRUPT, "a signature of kind %02x%02x, expected 4544 (ED)",
                         bytes[0], bytes[1]);
}

tc_status tci_minisign_signature_parse(const char *text, size_t size,
                                       tci_minisign_signature *signature_out,
                                       tci_minisign_comment *comment_out, tc_error *err)
{
    lines l = {text, text + size};
    uint8_t bytes[2 + sizeof *signature_out];
    tci_minisign_comment comment;
    TC_TRY(read_comment(&l, UNTRUSTED, LINE_MAX_BYTES, &comment.text, &comment.size, err));
    TC_TRY(read_base64(&l, "signature", bytes, sizeof bytes, err));
    TC_TRY(check_kind(bytes, err));
    TC_TRY(
        read_comment(&l, TRUSTED, TCI_MINISIGN_COMMENT_MAX, &comment.text, &comment.size, err));
    TC_TRY(read_base64(&l, "comment's signature", comment.signature, sizeof comment.signature,
                       err));
    if (l.at != l.end)
        return tci_error_set(err, TC_E_CORRUPT, "bytes behind the signature of the comment");
    memcpy(signature_out->key_id, bytes + 2, sizeof signature_out->key_id);
    memcpy(signature_out->bytes, bytes + 2 + sizeof signature_out->key_id,
           sizeof signature_out->bytes);
    if (comment_out != NULL)
        *comment_out = comment;
    return TC_OK;
}

/* --- verifying --------------------------------------------------------------------------- */

bool tci_minisign_fits(const tci_minisign_public *key, const uint8_t signature[64],
                       const void *message, size_t size)
{
    uint8_t hash[crypto_generichash_BYTES_MAX];
    crypto_generichash(hash, sizeof hash, message, size, NULL, 0);
    return crypto_sign_verify_detached(signature, hash, sizeof hash, key->key) == 0;
}

bool tci_minisign_comment_fits(const tci_minisign_public *key,
                               const tci_minisign_signature *signature,
                               const tci_minisign_comment *comment)
{
    uint8_t signed_bytes[TCI_SIGNATURE_BYTES + TCI_MINISIGN_COMMENT_MAX];
    if (comment->size > TCI_MINISIGN_COMMENT_MAX)
        return false;
    memcpy(signed_bytes, signature->bytes, TCI_SIGNATURE_BYTES);
    memcpy(signed_bytes + TCI_SIGNATURE_BYTES, comment->text, comment->size);
    return crypto_sign_verify_detached(comment->signature, signed_bytes,
                                       TCI_SIGNATURE_BYTES + comment->size, key->key) == 0;
}
