/* The commands of tc-ar that make and use keys. */
#include "tc_ar.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "base/file_guard.h"
#include "code_signing.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- keygen ------------------------------------------------------------------------------ */

typedef struct key_choice {
    const char *key;
    bool encrypt;
} key_choice;

#define AT(member) offsetof(key_choice, member)

static const tool_option keygen_options[] = {
    {.name = "encrypt",
     .letter = 'e',
     .offset = AT(encrypt),
     .help = "protect the secret key by a password, which is asked for"},
};

const tool_command tci_ar_keygen_command = {
    .name = "tc-ar keygen",
    .usage = "[--encrypt] NAME",
    .summary = "make keys to sign with: NAME.key, NAME.pub",
    .about = "Makes a pair of keys: NAME.key, the secret one, of mode 0600, and NAME.pub, the "
             "public one, "
             "for the\nfolder that targets name by the option trust. Both are minisign's. No "
             "file is "
             "replaced.\n",
    .options = keygen_options,
    .option_count = sizeof keygen_options / sizeof keygen_options[0],
    .rest_min = 1,
    .rest_max = 1,
};

static tc_status write_pair(const char *name, const tci_minisign_secret *secret, bool encrypt,
                            tc_error *err)
{
    char path[4096], text[TCI_MINISIGN_SECRET_TEXT], public[TCI_MINISIGN_PUBLIC_TEXT];
    char *password = NULL;
    tci_minisign_public_text(&secret->public, public);
    if (encrypt)
        TC_TRY(tci_code_signing_password("password of the new key: ", true, &password, err));
    tc_status status = tci_minisign_secret_text(secret, password, text, err);
    if (password != NULL)
        tci_minisign_secret_wipe_text(password, strlen(password));
    free(password);
    if (status == TC_OK && snprintf(path, sizeof path, "%s.key", name) >= (int)sizeof path)
        status = tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", name);
    if (status == TC_OK)
        status = tci_file_guard_create(path, text, strlen(text), err);
    tci_minisign_secret_wipe_text(text, sizeof text);
    TC_TRY(status);
    (void)snprintf(path, sizeof path, "%s.pub", name);
    return tci_archive_file_write(path, public, strlen(public), err);
}

int tci_ar_keygen(int argc, char **argv)
{
    tci_minisign_secret secret;
    char id[TCI_KEY_ID_TEXT];
    tc_error err;
    key_choice chosen = {.key = NULL};
    int result = tool_options_parse(&tci_ar_keygen_command, argc, argv, &chosen);
    if (result != TOOL_GO_ON)
        return result;
    if (tci_minisign_secret_create(&secret, &err) != TC_OK)
        return tci_ar_report(&err);
    tc_status status = write_pair(argv[optind], &secret, chosen.encrypt, &err);
    tci_minisign_id_text(secret.public.id, id);
    tci_minisign_secret_wipe(&secret);
    if (status != TC_OK)
        return tci_ar_report(&err);
    printf("key %s: %s.key (secret), %s.pub\n", id, argv[optind], argv[optind]);
    return TOOL_OK;
}

/* --- sign -------------------------------------------------------------------------------- */

static const tool_option sign_options[] = {
    {.name = "key",
     .letter = 'k',
     .kind = TOOL_TEXT,
     .value = "KEY",
     .offset = AT(key),
     .help = "the secret key: a file of mode 0600, from tc-ar keygen or minisign"},
};

const tool_command tci_ar_sign_command = {
    .name = "tc-ar sign",
    .usage = "--key KEY FILE...",
    .summary = "sign the code: FILE.minisig",
    .about =
        "Signs each archive with the list of libraries beside it: writes FILE.minisig, which "
        "tc_ifunc_open\nfinds and which goes along wherever the function is sent.\n",
    .options = sign_options,
    .option_count = sizeof sign_options / sizeof sign_options[0],
    .rest_min = 1,
    .rest_max = INT_MAX,
};

int tci_ar_sign(int argc, char **argv)
{
    key_choice chosen = {.key = NULL};
    tci_minisign_secret secret;
    tc_error err;
    int result = tool_options_parse(&tci_ar_sign_command, argc, argv, &chosen);
    if (result != TOOL_GO_ON)
        return result;
    if (chosen.key == NULL)
        return tool_options_misused(&tci_ar_sign_command, "sign needs --key KEY");
    if (tci_code_signing_key(chosen.key, &secret, &err) != TC_OK)
        return tci_ar_report(&err);
    tc_status status = TC_OK;
    for (int i = optind; i < argc && status == TC_OK; i++)
        status = tci_code_signing_sign(argv[i], &secret, &err);
    tci_minisign_secret_wipe(&secret);
    return status == TC_OK ? TOOL_OK : tci_ar_report(&err);
}

/* --- digest ------------------------------------------------------------------------------ */

const tool_command tci_ar_digest_command = {
    .name = "tc-ar digest",
    .usage = "FILE",
    .summary = "the statement that is signed",
    .about = "Prints the statement that is signed of an archive and the list of libraries "
             "beside it; "
             "minisign signs\nand verifies that text as any other file. The digest of the "
             "content is what "
             "the options code_allow\nand code_revoked list.\n",
    .rest_min = 1,
    .rest_max = 1,
};

int tci_ar_digest(int argc, char **argv)
{
    char statement[TCI_CODE_STATEMENT_TEXT], name[TCI_ARCHIVE_NAME_MAX];
    tc_error err;
    int result = tool_options_parse(&tci_ar_digest_command, argc, argv, NULL);
    if (result != TOOL_GO_ON)
        return result;
    if (tci_code_signing_statement(argv[optind], statement, name, &err) != TC_OK)
        return tci_ar_report(&err);
    fputs(statement, stdout);
    return TOOL_OK;
}
