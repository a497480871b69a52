/* Files of trusted keys, and signatures from outside. The first byte chooses one. */
#include "base/minisign_secret.h"
#include "fuzzer.h"
#include "modules/trust/id_list.h"
#include "modules/trust/trusted_key.h"

#include <string.h>

static void check_key(const char *text, size_t size)
{
    tci_trusted_key key;
    char again[TCI_MINISIGN_PUBLIC_TEXT];
    tci_minisign_public parsed;
    const char *rest;
    if (tci_trusted_key_parse(text, size, &key, NULL) != TC_OK)
        return;
    if (memchr(key.names, '\0', sizeof key.names) == NULL || key.not_after < 0 ||
        key.form > TCI_CHOICE_BITCODE)
        abort();
    (void)tci_trusted_key_covers(&key, "count");
    tci_minisign_public_text(&key.public, again);
    if (tci_minisign_public_parse(again, strlen(again), &parsed, &rest, NULL) != TC_OK ||
        memcmp(&parsed, &key.public, sizeof parsed) != 0 || *rest != '\0')
        abort();
}

static void check_signature(const char *text, size_t size)
{
    tci_minisign_signature signature;
    tci_minisign_comment comment;
    if (tci_minisign_signature_parse(text, size, &signature, &comment, NULL) != TC_OK)
        return;
    if (comment.text < text || comment.text + comment.size > text + size ||
        comment.size > TCI_MINISIGN_COMMENT_MAX)
        abort();
}

static void check_list(const char *text, size_t size)
{
    tci_id_list list;
    if (tci_id_list_parse(text, size, &list, NULL) != TC_OK)
        return;
    for (size_t i = 0; i < list.count; i++) {
        if (!tci_id_list_has(&list, (tci_id_kind)list.ids[i].kind, list.ids[i].bytes))
            abort();
    }
    tci_id_list_free(&list);
}

/* Not with a password: scrypt would take seconds. */
static void check_secret(const char *text, size_t size)
{
    tci_minisign_secret secret;
    if (tci_minisign_secret_parse(text, size, NULL, &secret, NULL) != TC_OK)
        return;
    if (tci_minisign_secret_is_encrypted(text, size))
        abort();
    tci_minisign_secret_wipe(&secret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const checks[])(const char *, size_t) = {check_key, check_signature,
                                                           check_list, check_secret};
    if (size == 0)
        return 0;
    /* in memory of just that size, so that a step outside shows */
    char *copy = malloc(size);
    if (copy == NULL)
        abort();
    memcpy(copy, data + 1, size - 1);
    checks[data[0] % 4](copy, size - 1);
    free(copy);
    return 0;
}
