#include "code_statement.h"

#include "base/content_id.h"

#include <stdio.h>

/* The tags prevent that a digest of one kind is taken for another. */
#define CONTENT_TAG "tchains-content-1"
#define ARCHIVE_TAG "tchains-archive-1"

static void digest(const char *tag, const tci_code_bytes *code, uint8_t *out)
{
    tci_hash256_pair(tag, code->archive, code->archive_size, code->deps, code->deps_size, out);
}

/* Replaces a stored archive's bytes by its content. */
static bool stored_content(const tci_code_bytes *code, tci_code_bytes *content_out)
{
    *content_out = *code;
    return tci_archive_stored_content(code->archive, code->archive_size, &content_out->archive,
                                      &content_out->archive_size);
}

bool tci_code_statement_shows_content(const tci_code_bytes *code)
{
    tci_code_bytes content;
    return stored_content(code, &content);
}

void tci_code_statement_digest(const tci_code_bytes *code, tci_code_digests *digests_out)
{
    tci_code_bytes content;
    if (stored_content(code, &content))
        digest(CONTENT_TAG, &content, digests_out->content);
    else
        digest(ARCHIVE_TAG, code, digests_out->archive);
}

void tci_code_statement_content(const tci_archive *archive, const void *deps, size_t deps_size,
                                uint8_t digest_out[TCI_CODE_DIGEST_BYTES])
{
    const tci_code_bytes content = {tci_archive_content(archive),
                                    tci_archive_content_size(archive), deps, deps_size};
    digest(CONTENT_TAG, &content, digest_out);
}

void tci_code_statement_digests(const tci_code_bytes *code, const tci_archive *archive,
                                tci_code_digests *digests_out)
{
    tci_code_statement_content(archive, code->deps, code->deps_size, digests_out->content);
    digest(ARCHIVE_TAG, code, digests_out->archive);
}

size_t tci_code_statement_text(const tci_code_digests *digests,
                               char text_out[TCI_CODE_STATEMENT_TEXT])
{
    char content[TCI_HASH256_TEXT], archive[TCI_HASH256_TEXT];
    tci_hash256_text(digests->content, content);
    tci_hash256_text(digests->archive, archive);
    int n =
        snprintf(text_out, TCI_CODE_STATEMENT_TEXT,
                 "Three-Chains code, statement 1\ncontent %s\narchive %s\n", content, archive);
    return (size_t)n;
}
