/* Keys, passwords and signatures of archives in files. Passwords are wiped after use. */
#include "code_signing.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "base/file_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define DEPS_BYTES_MAX 65536u
#define PASSWORD_MAX 1024

/* --- passwords --------------------------------------------------------------------------- */

/* Reads a line; without an echo when stdin is a terminal. */
static bool read_line(const char *prompt, char line_out[PASSWORD_MAX])
{
    struct termios before, silent;
    bool terminal = tcgetattr(STDIN_FILENO, &before) == 0;
    if (terminal) {
        silent = before;
        silent.c_lflag &= ~(tcflag_t)ECHO;
        (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
        (void)fputs(prompt, stderr);
    }
    bool got = fgets(line_out, PASSWORD_MAX, stdin) != NULL;
    if (terminal) {
        (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        (void)fputc('\n', stderr);
    }
    if (got)
        line_out[strcspn(line_out, "\n")] = '\0';
    return got;
}

tc_status tci_code_signing_password(const char *prompt, bool again, char **password_out,
                                    tc_error *err)
{
    char first[PASSWORD_MAX] = "", second[PASSWORD_MAX] = "";
    tc_status status = TC_OK;
    if (!read_line(prompt, first) || (again && !read_line("once more: ", second)))
        status = tci_error_set(err, TC_E_IO, "no password on stdin");
    else if (again && strcmp(first, second) != 0)
        status = tci_error_set(err, TC_E_INVALID, "two different passwords");
    else if ((*password_out = strdup(first)) == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "password: out of memory");
    tci_minisign_secret_wipe_text(first, sizeof first);
    tci_minisign_secret_wipe_text(second, sizeof second);
    return status;
}

/* --- keys -------------------------------------------------------------------------------- */

static tc_status parse_key(const char *text, size_t size, tci_minisign_secret *secret_out,
                           tc_error *err)
{
    char *password = NULL;
    if (tci_minisign_secret_is_encrypted(text, size))
        TC_TRY(
            tci_code_signing_password("password of the secret key: ", false, &password, err));
    tc_status status = tci_minisign_secret_parse(text, size, password, secret_out, err);
    if (password != NULL)
        tci_minisign_secret_wipe_text(password, strlen(password));
    free(password);
    return status;
}

tc_status tci_code_signing_key(const char *path, tci_minisign_secret *secret_out, tc_error *err)
{
    char *text;
    size_t size;
    TC_TRY(tci_file_guard_read(AT_FDCWD, path, path, TCI_GUARD_PRIVATE, TCI_MINISIGN_FILE_MAX,
                               &text, &size, err));
    tc_status status = parse_key(text, size, secret_out, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", path);
    tci_minisign_secret_wipe_text(text, size);
    free(text);
    return status;
}

/* --- archives ---------------------------------------------------------------------------- */

/* Reads an archive and its dependencies, by the same names as tc_ifunc_open_file. */
static tc_status read_code(const char *path, tci_code_bytes *code_out, tc_error *err)
{
    char deps_path[PATH_BYTES];
    void *archive, *deps = NULL;
    size_t n = strlen(path), archive_size, deps_size = 0;
    if (n > 4 && strcmp(path + n - 4, ".tca") == 0)
        n -= 4;
    if (snprintf(deps_path, sizeof deps_path, "%.*s.deps", (int)n, path) >= PATH_BYTES)
        return tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", path);
    TC_TRY(tci_archive_file_read(path, TCI_ARCHIVE_FILE_MAX, &archive, &archive_size, err));
    tc_status status = tci_archive_file_read(deps_path, DEPS_BYTES_MAX, &deps, &deps_size, err);
    if (status != TC_OK && status != TC_E_NOT_FOUND) {
        free(archive);
        return status;
    }
    *code_out = (tci_code_bytes){archive, archive_size, deps, deps_size};
    return TC_OK;
}

tc_status tci_code_signing_statement(const char *path, char text_out[TCI_CODE_STATEMENT_TEXT],
                                     char name_out[TCI_ARCHIVE_NAME_MAX], tc_error *err)
{
    tci_code_bytes code;
    tci_archive *archive;
    tci_code_digests digests;
    TC_TRY(read_code(path, &code, err));
    tc_status status = tci_archive_open(code.archive, code.archive_size, &archive, err);
    if (status == TC_OK) {
        tci_code_statement_digests(&code, archive, &digests);
        (void)tci_code_statement_text(&digests, text_out);
        (void)snprintf(name_out, TCI_ARCHIVE_NAME_MAX, "%s", tci_archive_name(archive));
        tci_archive_close(archive);
    } else {
        tci_error_prefix(err, "%s", path);
    }
    free((void *)(uintptr_t)code.archive);
    free((void *)(uintptr_t)code.deps);
    return status;
}

static tc_status signature_path(const char *path, char out[PATH_BYTES], tc_error *err)
{
    if (snprintf(out, PATH_BYTES, "%s" TCI_SIGNATURE_SUFFIX, path) >= PATH_BYTES)
        return tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", path);
    return TC_OK;
}

tc_status tci_code_signing_sign(const char *path, const tci_minisign_secret *secret,
                                tc_error *err)
{
    char statement[TCI_CODE_STATEMENT_TEXT], name[TCI_ARCHIVE_NAME_MAX];
    char comment[TCI_ARCHIVE_NAME_MAX + 64], text[TCI_MINISIGN_SIGNATURE_TEXT];
    char to[PATH_BYTES];
    TC_TRY(signature_path(path, to, err));
    TC_TRY(tci_code_signing_statement(path, statement, name, err));
    (void)snprintf(comment, sizeof comment, "timestamp:%lld\tfunction:%s\thashed",
                   (long long)time(NULL), name);
    tci_minisign_sign(secret, statement, strlen(statement), comment, text);
    return tci_archive_file_write(to, text, strlen(text), err);
}

static tc_status check_signature(const char *path, const char *text, size_t size,
                                 const tci_minisign_public *key, tc_error *err)
{
    char statement[TCI_CODE_STATEMENT_TEXT], name[TCI_ARCHIVE_NAME_MAX];
    char found[TCI_KEY_ID_TEXT], expected[TCI_KEY_ID_TEXT];
    tci_minisign_signature signature;
    tci_minisign_comment comment;
    TC_TRY(tci_minisign_signature_parse(text, size, &signature, &comment, err));
    TC_TRY(tci_code_signing_statement(path, statement, name, err));
    tci_minisign_id_text(signature.key_id, found);
    tci_minisign_id_text(key->id, expected);
    if (strcmp(found, expected) != 0)
        return tci_error_set(err, TC_E_REFUSED, "%s is signed by key %s, expected %s", name,
                             found, expected);
    if (!tci_minisign_fits(key, signature.bytes, statement, strlen(statement)))
        return tci_error_set(
            err, TC_E_REFUSED,
            "%s: its signature by key %s does not fit: it is of other code, or "
            "damaged",
            name, found);
    if (!tci_minisign_comment_fits(key, &signature, &comment))
        return tci_error_set(err, TC_E_REFUSED, "%s: the trusted comment is not the signer's",
                             name);
    return TC_OK;
}

tc_status tci_code_signing_verify(const char *path, const tci_minisign_public *key,
                                  tc_error *err)
{
    char from[PATH_BYTES];
    void *text;
    size_t size;
    TC_TRY(signature_path(path, from, err));
    TC_TRY(tci_archive_file_read(from, TCI_MINISIGN_FILE_MAX, &text, &size, err));
    tc_status status = check_signature(path, text, size, key, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", from);
    free(text);
    return status;
}

tc_status tci_code_signing_remove(const char *path, tc_error *err)
{
    char to[PATH_BYTES];
    TC_TRY(signature_path(path, to, err));
    if (unlink(to) != 0 && errno != ENOENT && errno != ENOTDIR)
        return tci_error_errno(err, TC_E_IO, errno, "removing %s", to);
    return TC_OK;
}
