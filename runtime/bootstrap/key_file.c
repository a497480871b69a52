#include "key_file.h"

#include "base/error_text.h"
#include "base/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORD "tchains-key "

/* --- reading ----------------------------------------------------------------------------- */

static tc_status check_secret(const char *option, const char *path, const struct stat *file,
                              tc_error *err)
{
    unsigned mode = file->st_mode & 07777u;
    if (file->st_uid != geteuid() && file->st_uid != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "%s: %s belongs to user %u, expected user %u or root", option,
                             path, file->st_uid, geteuid());
    if ((mode & 077u) != 0)
        return tci_error_set(err, TC_E_INVALID,
                             "%s: %s has mode %04o, expected 0600 or less: others may read or "
                             "change it",
                             option, path, mode);
    return TC_OK;
}

static tc_status read_file(const char *option, const char *path, int fd, bool secret,
                           char out[TCI_KEY_FILE_BYTES_MAX], size_t *size_out, tc_error *err)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s: %s", option, path);
    if (!S_ISREG(file.st_mode))
        return tci_error_set(err, TC_E_INVALID, "%s: %s is no file", option, path);
    if (secret)
        TC_TRY(check_secret(option, path, &file, err));
    if (file.st_size > (off_t)TCI_KEY_FILE_BYTES_MAX)
        return tci_error_set(err, TC_E_INVALID, "%s: %s has %lld bytes, expected at most %u",
                             option, path, (long long)file.st_size, TCI_KEY_FILE_BYTES_MAX);
    if (!tci_full_io_read(fd, out, TCI_KEY_FILE_BYTES_MAX, size_out))
        return tci_error_errno(err, TC_E_IO, errno, "%s: %s", option, path);
    return TC_OK;
}

tc_status tci_key_file_read(const char *option, const char *path, bool secret,
                            char out[TCI_KEY_FILE_BYTES_MAX], size_t *size_out, tc_error *err)
{
    /* O_NONBLOCK, as opening a pipe without a writer would block. */
    int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (secret ? O_NOFOLLOW : 0));
    if (fd < 0 && errno == ELOOP)
        return tci_error_set(err, TC_E_INVALID, "%s: %s is a link, expected the file itself",
                             option, path);
    if (fd < 0)
        return tci_error_errno(err, errno == ENOENT ? TC_E_NOT_FOUND : TC_E_IO, errno, "%s: %s",
                               option, path);
    tc_status status = read_file(option, path, fd, secret, out, size_out, err);
    (void)close(fd);
    return status;
}

/* --- parsing ----------------------------------------------------------------------------- */

static bool is_name_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("._-@", c) != NULL);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Returns the name's number of characters; 0: too many, or it is empty. */
static size_t parse_name(const char *text, size_t size, tci_tls_key *key)
{
    size_t n = 0;
    while (n < size && is_name_character(text[n]))
        n++;
    if (n > TCI_TLS_KEY_NAME_MAX)
        return 0;
    memcpy(key->name, text, n);
    key->name[n] = '\0';
    return n;
}

static bool parse_bytes(const char *text, size_t size, tci_tls_key *key)
{
    if (size != 2 * sizeof key->bytes)
        return false;
    for (size_t i = 0; i < sizeof key->bytes; i++) {
        int high = hex_digit(text[2 * i]);
        int low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        key->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* Returns the error in the line; NULL: it is valid. */
static const char *parse_line(const char *text, size_t size, tci_tls_key *key)
{
    if (size < strlen(WORD) || memcmp(text, WORD, strlen(WORD)) != 0)
        return "expected \"tchains-key NAME 64-HEX-DIGITS\"";
    text += strlen(WORD);
    size -= strlen(WORD);
    size_t n = parse_name(text, size, key);
    if (n == 0 || n == size || text[n] != ' ')
        return "expected a name of 1 to 64 characters of A-Z a-z 0-9 . _ - @ and a blank";
    if (!parse_bytes(text + n + 1, size - n - 1, key))
        return "expected 64 hex digits behind the name";
    return NULL;
}

static bool is_twice(const tci_key_file *file)
{
    for (size_t i = 0; i + 1 < file->count; i++) {
        if (strcmp(file->keys[i].name, file->keys[file->count - 1].name) == 0)
            return true;
    }
    return false;
}

static const char *add_line(tci_key_file *file, const char *text, size_t size)
{
    if (size == 0 || text[0] == '#')
        return NULL;
    if (file->count == TCI_KEY_FILE_KEYS_MAX)
        return "more than 16 keys";
    const char *wrong = parse_line(text, size, &file->keys[file->count]);
    if (wrong != NULL)
        return wrong;
    file->count++;
    return is_twice(file) ? "a name that an earlier line has" : NULL;
}

tc_status tci_key_file_parse(const char *text, size_t size, tci_key_file *file_out,
                             tc_error *err)
{
    tci_key_file file = {.count = 0};
    unsigned line = 0;
    const char *wrong = NULL;
    for (size_t at = 0; at < size && wrong == NULL; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end != NULL ? (size_t)(end - (text + at)) : size - at;
        size_t shown = n > 0 && text[at + n - 1] == '\r' ? n - 1 : n;
        wrong = add_line(&file, text + at, shown);
        at += n + 1;
    }
    if (wrong == NULL && file.count > 0)
        *file_out = file;
    explicit_bzero(&file.keys, sizeof file.keys);
    if (wrong != NULL)
        return tci_error_set(err, TC_E_INVALID, "line %u: %s", line, wrong);
    if (file.count == 0)
        return tci_error_set(err, TC_E_INVALID, "it has no key");
    return TC_OK;
}
