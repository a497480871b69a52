#include "code_signature.h"

#include "base/cursor.h"
#include "wire/frame.h"

_Static_assert(TCI_CODE_SIGNATURE_BYTES ==
                   TCI_KEY_ID_BYTES + TCI_SIGNATURE_BYTES + TCI_CODE_DIGEST_BYTES,
               "what travels");

void tci_code_signature_encode(const tci_code_signature *signature, const tci_code_bytes *code,
                               uint8_t *bytes_out)
{
    tci_writer w;
    tci_writer_init(&w, bytes_out, TCI_CODE_SIGNATURE_BYTES);
    tci_write_bytes(&w, signature->signature.key_id, TCI_KEY_ID_BYTES);
    tci_write_bytes(&w, signature->signature.bytes, TCI_SIGNATURE_BYTES);
    tci_write_bytes(&w,
                    tci_code_statement_shows_content(code) ? signature->digests.archive
                                                           : signature->digests.content,
                    TCI_CODE_DIGEST_BYTES);
}

void tci_code_signature_decode(const uint8_t *bytes, const tci_code_bytes *code,
                               tci_code_signature *signature_out)
{
    tci_reader r;
    tci_reader_init(&r, bytes, TCI_CODE_SIGNATURE_BYTES);
    memcpy(signature_out->signature.key_id, tci_read_bytes(&r, TCI_KEY_ID_BYTES),
           TCI_KEY_ID_BYTES);
    memcpy(signature_out->signature.bytes, tci_read_bytes(&r, TCI_SIGNATURE_BYTES),
           TCI_SIGNATURE_BYTES);
    memcpy(tci_code_statement_shows_content(code) ? signature_out->digests.archive
                                                  : signature_out->digests.content,
           tci_read_bytes(&r, TCI_CODE_DIGEST_BYTES), TCI_CODE_DIGEST_BYTES);
    tci_code_statement_digest(code, &signature_out->digests);
}

bool tci_code_signature_fits(const tci_code_signature *signature,
                             const tci_minisign_public *key)
{
    char text[TCI_CODE_STATEMENT_TEXT];
    size_t size = tci_code_statement_text(&signature->digests, text);
    return tci_minisign_fits(key, signature->signature.bytes, text, size);
}
