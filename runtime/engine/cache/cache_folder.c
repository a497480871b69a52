#include "cache_folder.h"

#include "base/error_text.h"
#include "base/file_guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_FOLDER "/tchains"

static bool is_auto(const char *cache_dir)
{
    return strcmp(cache_dir, "auto") == 0;
}

/* Returns the base of "auto", or NULL. Both variables are ignored where they are relative, as
 * the XDG specification demands, and in programs with more rights than their caller.
 * *below_base_out is the rest of the path. */
static const char *auto_base(const char **below_base_out)
{
    const char *base = secure_getenv("XDG_CACHE_HOME");
    *below_base_out = OWN_FOLDER;
    if (base != NULL && base[0] == '/')
        return base;
    *below_base_out = "/.cache" OWN_FOLDER;
    base = secure_getenv("HOME");
    return base != NULL && base[0] == '/' ? base : NULL;
}

/* Joins a path without slashes at the end: before one, a symbolic link is followed regardless
 * of the flags. */
static tc_status join_path(const char *base, const char *below,
                           char path_out[TCI_CACHE_FOLDER_MAX], tc_error *err)
{
    int size = snprintf(path_out, TCI_CACHE_FOLDER_MAX, "%s%s", base, below);
    if (size >= TCI_CACHE_FOLDER_MAX)
        return tci_error_set(err, TC_E_UNSUPPORTED, "a path of %d bytes, limit %d", size,
                             TCI_CACHE_FOLDER_MAX - 1);
    while (size > 1 && path_out[size - 1] == '/')
        path_out[--size] = '\0';
    return TC_OK;
}

tc_status tci_cache_folder_path(const char *cache_dir, char path_out[TCI_CACHE_FOLDER_MAX],
                                tc_error *err)
{
    const char *below;
    if (cache_dir[0] == '\0')
        return tci_error_set(err, TC_E_UNSUPPORTED, "the option cache_dir is empty");
    if (!is_auto(cache_dir))
        return join_path(cache_dir, "", path_out, err);
    const char *base = auto_base(&below);
    if (base == NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "neither XDG_CACHE_HOME nor HOME is an absolute path");
    return join_path(base, below, path_out, err);
}

static bool is_own_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

/* Creates every folder above the last component of path, from byte `at` on. */
static bool make_parents(const char *path, size_t at)
{
    char parent[TCI_CACHE_FOLDER_MAX];
    for (const char *end = strchr(path + at, '/'); end != NULL; end = strchr(end + 1, '/')) {
        size_t n = (size_t)(end - path);
        if (n == 0)
            continue;
        memcpy(parent, path, n);
        parent[n] = '\0';
        if (mkdir(parent, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

/* Never creates a home, and refuses the folder of another user: under sudo, HOME may be the
 * caller's, and the caller would later find a cache there that belongs to another user. */
static tc_status check_auto_parents(const char *path, bool create, tc_error *err)
{
    const char *below;
    const char *base = auto_base(&below);
    char parent[TCI_CACHE_FOLDER_MAX];
    bool from_home = strcmp(below, OWN_FOLDER) != 0;
    if (base == NULL || (from_home && !is_own_folder(base)))
        return tci_error_set(err, TC_E_UNSUPPORTED, "%s is no folder of this user",
                             base == NULL ? "HOME" : base);
    if (create && !make_parents(path, from_home ? strlen(base) : 0))
        return tci_error_errno(err, TC_E_UNSUPPORTED, errno, "%s cannot be made", path);
    (void)snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (access(parent, F_OK) != 0)
        return tci_error_set(err, TC_E_NOT_FOUND, "%s does not exist", path);
    if (!is_own_folder(parent))
        return tci_error_set(err, TC_E_UNSUPPORTED, "%s is no folder of this user", parent);
    return TC_OK;
}

static tc_status make_folder(const char *cache_dir, const char *path, tc_error *err)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return TC_OK;
    return tci_error_errno(err, is_auto(cache_dir) ? TC_E_UNSUPPORTED : TC_E_IO, errno,
                           "%s cannot be made", path);
}

tc_status tci_cache_folder_open(const char *cache_dir, const char *path, bool create,
                                int *fd_out, tc_error *err)
{
    if (is_auto(cache_dir))
        TC_TRY(check_auto_parents(path, create, err));
    if (create)
        TC_TRY(make_folder(cache_dir, path, err));
    return tci_file_guard_open_folder(path, TCI_GUARD_PRIVATE, fd_out, err);
}
