/* The key is found, or created, once per process; a seal is a hash with this key. */
#include "cache_seal.h"

#include "base/content_id.h"
#include "base/error_text.h"
#include "base/file_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define KEY_BYTES 32u
#define PATH_BYTES 4096
#define FOLDER "/tchains"
#define FILE_NAME "cache.key"

/* --- the file ---------------------------------------------------------------------------- */

/* As in cache_folder.c, relative paths are ignored, and those of another user's environment. */
static tc_status folder_of_user(char path_out[PATH_BYTES], bool create, tc_error *err)
{
    const char *base = secure_getenv("XDG_CONFIG_HOME"), *below = "";
    if (base == NULL || base[0] != '/') {
        base = secure_getenv("HOME");
        below = "/.config";
    }
    if (base == NULL || base[0] != '/')
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "neither XDG_CONFIG_HOME nor HOME is an absolute path");
    if (snprintf(path_out, PATH_BYTES, "%s%s" FOLDER, base, below) >= PATH_BYTES)
        return tci_error_set(err, TC_E_UNSUPPORTED, "%.200s...: path too long", base);
    if (!create)
        return TC_OK;
    path_out[strlen(path_out) - strlen(FOLDER)] = '\0';
    bool made = mkdir(path_out, 0700) == 0 || errno == EEXIST;
    path_out[strlen(path_out)] = '/';
    made = made && (mkdir(path_out, 0700) == 0 || errno == EEXIST);
    return made ? TC_OK : tci_error_errno(err, TC_E_IO, errno, "%s cannot be made", path_out);
}

static tc_status read_key(const char *path, uint8_t key_out[KEY_BYTES], tc_error *err)
{
    char *bytes;
    size_t size;
    TC_TRY(tci_file_guard_read(AT_FDCWD, path, path, TCI_GUARD_PRIVATE, KEY_BYTES, &bytes,
                               &size, err));
    if (size == KEY_BYTES)
        memcpy(key_out, bytes, KEY_BYTES);
    free(bytes);
    return size == KEY_BYTES ? TC_OK
                             : tci_error_set(err, TC_E_CORRUPT, "%s has %zu bytes, expected %u",
                                             path, size, KEY_BYTES);
}

/* Writes the key under another name, then links it to its own, which only one process can: a
 * reader finds all of it. */
static tc_status make_key(const char *folder, const char *path, tc_error *err)
{
    char drawn[PATH_BYTES + 64];
    uint8_t key[KEY_BYTES + sizeof(uint64_t)];
    uint64_t name;
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
        return tci_error_errno(err, TC_E_IO, errno, "no random key");
    memcpy(&name, key + KEY_BYTES, sizeof name);
    (void)snprintf(drawn, sizeof drawn, "%s/%016llx.tmp", folder, (unsigned long long)name);
    TC_TRY(tci_file_guard_create(drawn, key, KEY_BYTES, err));
    bool linked = link(drawn, path) == 0 || errno == EEXIST;
    int failure = errno;
    (void)unlink(drawn);
    return linked ? TC_OK : tci_error_errno(err, TC_E_IO, failure, "%s", path);
}

static tc_status find_key(uint8_t key_out[KEY_BYTES], tc_error *err)
{
    char folder[PATH_BYTES], path[PATH_BYTES + sizeof FILE_NAME + 1];
    TC_TRY(folder_of_user(folder, false, err));
    (void)snprintf(path, sizeof path, "%s/" FILE_NAME, folder);
    tc_status status = read_key(path, key_out, err);
    if (status != TC_E_NOT_FOUND)
        return status;
    TC_TRY(folder_of_user(folder, true, err));
    TC_TRY(make_key(folder, path, err));
    return read_key(path, key_out, err);
}

/* --- sealing ----------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    bool looked, found;
    uint8_t key[KEY_BYTES];
    tc_error why;
} user = {.lock = PTHREAD_MUTEX_INITIALIZER};

const uint8_t *tci_cache_seal_key(tc_error *err)
{
    pthread_mutex_lock(&user.lock);
    if (!user.looked) {
        user.found = find_key(user.key, &user.why) == TC_OK;
        user.looked = true;
    }
    if (!user.found && err != NULL)
        *err = user.why;
    pthread_mutex_unlock(&user.lock);
    return user.found ? user.key : NULL;
}

void tci_cache_seal_make(const uint8_t content[32], const void *bytes, size_t size,
                         uint8_t seal_out[32])
{
    tci_hash256_keyed(user.key, content, 32, bytes, size, seal_out);
}
