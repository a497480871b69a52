/* The commands of tc-ar that make and use keys. */
#include "tc_ar.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "base/file_guard.h"
#include "code_signing.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- keygen ------------------------------------------------------------------------------ */

static const char keygen_usage[] =
    "usage: tc-ar keygen [--encrypt] NAME\n"
    "\n"
    "Makes a pair of keys: NAME.key, the secret one, of mode 0600, and NAME.pub, the public "
    "one,\n"
    "for the folder that targets name by the option trust. Both are minisign's. No file is\n"
    "replaced.\n"
    "\n"
    "  -e, --encrypt  protect the secret key by a password, which is asked for\n"
    "  -h, --help     this text\n";

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
    static const struct option options[] = {{"encrypt", no_argument, NULL, 'e'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    tci_minisign_secret secret;
    char id[TCI_KEY_ID_TEXT];
    tc_error err;
    bool encrypt = false;
    int option;
    while ((option = getopt_long(argc, argv, "eh", options, NULL)) != -1) {
        if (option != 'e')
            return tci_ar_help_or_misused(keygen_usage, option);
        encrypt = true;
    }
    if (argc - optind != 1)
        return tci_ar_misused(keygen_usage, "keygen takes one NAME");
    if (tci_minisign_secret_create(&secret, &err) != TC_OK)
        return tci_ar_report(&err);
    tc_status status = write_pair(argv[optind], &secret, encrypt, &err);
    tci_minisign_id_text(secret.public.id, id);
    tci_minisign_secret_wipe(&secret);
    if (status != TC_OK)
        return tci_ar_report(&err);
    printf("key %s: %s.key (secret), %s.pub\n", id, argv[optind], argv[optind]);
    return TCI_AR_OK;
}

/* --- sign -------------------------------------------------------------------------------- */

static const char sign_usage[] =
    "usage: tc-ar sign --key KEY FILE...\n"
    "\n"
    "Signs each archive with the list of libraries beside it: writes FILE.minisig, which\n"
    "tc_ifunc_open finds and which goes along wherever the function is sent.\n"
    "\n"
    "  -k, --key KEY  the secret key: a file of mode 0600, from tc-ar keygen or minisign\n"
    "  -h, --help     this text\n";

int tci_ar_sign(int argc, char **argv)
{
    static const struct option options[] = {{"key", required_argument, NULL, 'k'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *key = NULL;
    tci_minisign_secret secret;
    tc_error err;
    int option;
    while ((option = getopt_long(argc, argv, "k:h", options, NULL)) != -1) {
        if (option != 'k')
            return tci_ar_help_or_misused(sign_usage, option);
        key = optarg;
    }
    if (key == NULL || optind == argc)
        return tci_ar_misused(sign_usage, "sign takes --key KEY and at least one FILE");
    if (tci_code_signing_key(key, &secret, &err) != TC_OK)
        return tci_ar_report(&err);
    tc_status status = TC_OK;
    for (int i = optind; i < argc && status == TC_OK; i++)
        status = tci_code_signing_sign(argv[i], &secret, &err);
    tci_minisign_secret_wipe(&secret);
    return status == TC_OK ? TCI_AR_OK : tci_ar_report(&err);
}

/* --- digest ------------------------------------------------------------------------------ */

static const char digest_usage[] =
    "usage: tc-ar digest FILE\n"
    "\n"
    "Prints the statement that is signed of an archive and the list of libraries beside it;\n"
    "minisign signs and verifies that text as any other file.\n"
    "The digest of the content is what the options code_allow and code_revoked list.\n"
    "\n"
    "  -h, --help  this text\n";

int tci_ar_digest(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    char statement[TCI_CODE_STATEMENT_TEXT], name[TCI_ARCHIVE_NAME_MAX];
    tc_error err;
    int option = getopt_long(argc, argv, "h", options, NULL);
    if (option != -1)
        return tci_ar_help_or_misused(digest_usage, option);
    if (argc - optind != 1)
        return tci_ar_misused(digest_usage, "digest takes one FILE");
    if (tci_code_signing_statement(argv[optind], statement, name, &err) != TC_OK)
        return tci_ar_report(&err);
    fputs(statement, stdout);
    return TCI_AR_OK;
}
