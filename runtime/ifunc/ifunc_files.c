#include "ifunc_files.h"

#include "archive_file.h"
#include "base/error_text.h"
#include "base/minisign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define DEPS_BYTES_MAX 65536u
#define SUFFIX ".tca"

static bool deps_path(const char *path, char out[PATH_BYTES])
{
    size_t n = strlen(path);
    size_t suffix = strlen(SUFFIX);
    if (n > suffix && strcmp(path + n - suffix, SUFFIX) == 0)
        n -= suffix;
    return snprintf(out, PATH_BYTES, "%.*s.deps", (int)n, path) < PATH_BYTES;
}

/* Reads a file that may be missing: a missing file is no failure yet, so err stays
 * unchanged. */
static tc_status read_or_miss(const char *path, size_t bytes_max, void **bytes_out,
                              size_t *size_out, tc_error *err)
{
    tc_error why;
    tc_status status = tci_archive_file_read(path, bytes_max, bytes_out, size_out, &why);
    if (status != TC_OK && status != TC_E_NOT_FOUND && err != NULL)
        *err = why;
    return status;
}

/* Reads NAME.deps. A function without libraries has no such file. */
static tc_status read_deps(const char *path, void **bytes_out, size_t *size_out, tc_error *err)
{
    char path_of_deps[PATH_BYTES];
    if (!deps_path(path, path_of_deps))
        return tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", path);
    tc_status status = read_or_miss(path_of_deps, DEPS_BYTES_MAX, bytes_out, size_out, err);
    return status == TC_E_NOT_FOUND ? TC_OK : status;
}

#define SIGNATURE_SUFFIX ".minisig"

/* Reads NAME.tca.minisig, if the code is signed. The registry parses it, and verifies it where
 * the key is known. */
static tc_status read_signature(const char *path, void **text_out, size_t *size_out,
                                tc_error *err)
{
    char path_of_signature[PATH_BYTES];
    if (snprintf(path_of_signature, PATH_BYTES, "%s" SIGNATURE_SUFFIX, path) >= PATH_BYTES)
        return tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", path);
    tc_status status =
        read_or_miss(path_of_signature, TCI_MINISIGN_FILE_MAX, text_out, size_out, err);
    return status == TC_E_NOT_FOUND ? TC_OK : status;
}

/* Returns TC_E_NOT_FOUND when there is no such archive. */
static tc_status try_file(tci_registry *registry, const char *path, tc_ifunc **fn_out,
                          tc_error *err)
{
    void *archive, *deps = NULL, *signature = NULL;
    tci_registry_code code = {0};
    tc_status status = read_or_miss(path, (size_t)registry->options->code_bytes_max, &archive,
                                    &code.archive_size, err);
    if (status == TC_E_TOO_LARGE)
        tci_error_prefix(err, "beyond option code_bytes_max");
    TC_TRY(status);
    status = read_deps(path, &deps, &code.deps_size, err);
    if (status == TC_OK && registry->trust != NULL)
        status = read_signature(path, &signature, &code.signature_text_size, err);
    if (status == TC_OK) {
        code.signature_text = signature;
        code.archive = archive;
        code.deps = deps;
        status = tci_registry_add(registry, &code, fn_out, err);
        if (status != TC_OK)
            tci_error_prefix(err, "%s", path);
    }
    free(signature);
    free(deps);
    free(archive);
    return status;
}

tc_status tci_ifunc_files_read(tci_registry *registry, const char *path, tc_ifunc **fn_out,
                               tc_error *err)
{
    tc_status status = try_file(registry, path, fn_out, err);
    if (status == TC_E_NOT_FOUND)
        return tci_error_set(err, status, "%s: no such file", path);
    return status;
}

/* The folder of the program, as $ORIGIN in a program's rpath; "" if the system does not know
 * it. */
static void origin(char out[PATH_BYTES])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_BYTES - 1);
    out[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* Writes FOLDER/NAME.tca. Returns false if the path is too long. */
static bool path_in(const char *folder, size_t size, const char *name, char out[PATH_BYTES])
{
    static const char variable[] = "$ORIGIN";
    const size_t n = strlen(variable);
    char program_folder[PATH_BYTES] = "";
    bool is_relative =
        size >= n && memcmp(folder, variable, n) == 0 && (size == n || folder[n] == '/');
    if (is_relative) {
        origin(program_folder);
        folder += n;
        size -= n;
    } else if (size == 0) {
        folder = ".";
        size = 1;
    }
    int length =
        snprintf(out, PATH_BYTES, "%s%.*s/%s" SUFFIX, program_folder, (int)size, folder, name);
    return length > 0 && length < PATH_BYTES;
}

static bool is_plain_name(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < TCI_ARCHIVE_NAME_MAX && strchr(name, '/') == NULL && name[0] != '.';
}

tc_status tci_ifunc_files_read_named(tci_registry *registry, const char *name,
                                     tc_ifunc **fn_out, tc_error *err)
{
    char path[PATH_BYTES];
    const char *folders = registry->options->ifunc_path;
    if (!is_plain_name(name))
        return tci_error_set(err, TC_E_INVALID,
                             "ifunc name '%.80s': expected 1 to %d characters without '/'",
                             name, TCI_ARCHIVE_NAME_MAX - 1);
    for (const char *at = folders;; at++) {
        size_t n = strcspn(at, ":");
        if (path_in(at, n, name, path)) {
            tc_status status = try_file(registry, path, fn_out, err);
            if (status != TC_E_NOT_FOUND)
                return status;
        }
        at += n;
        if (*at == '\0')
            break;
    }
    return tci_error_set(err, TC_E_NOT_FOUND,
                         "no %s" SUFFIX " in the folders of TC_IFUNC_PATH: %s", name, folders);
}
