/* Searches folders in a linker's order, and follows linker scripts to the libraries that they
 * name. */
#include "link_deps.h"

#include "base/arch.h"
#include "base/error_text.h"
#include "library_file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Depth of scripts that name scripts: real ones nest once. */
enum { SCRIPT_DEPTH_MAX = 4, PATH_BYTES_MAX = 4096 };

static const char *const system_folders[] = {
    "/usr/local/lib/" TCI_ARCH_MULTIARCH,
    "/lib/" TCI_ARCH_MULTIARCH,
    "/usr/lib/" TCI_ARCH_MULTIARCH,
    "/usr/local/lib",
    "/lib",
    "/usr/lib",
    "/lib64",
    "/usr/lib64",
};

/* Has the compiler's own libraries (libatomic) in a folder for each version. */
static const char gcc_folders[] = "/usr/lib/gcc/" TCI_ARCH_MULTIARCH;

typedef struct search {
    const tci_text_list *folders;
    char gcc_folder[PATH_BYTES_MAX]; /* that of the newest version; empty: none */
    tci_text_list *sonames;
    tc_error *err;
} search;

static tc_status add_file(const search *s, const char *path, int depth, bool *used_out,
                          bool *static_out);

static size_t folder_count(const search *s)
{
    return s->folders->count + sizeof system_folders / sizeof system_folders[0] +
           (s->gcc_folder[0] != '\0');
}

static const char *folder_at(const search *s, size_t i)
{
    if (i < s->folders->count)
        return s->folders->items[i];
    i -= s->folders->count;
    return i < sizeof system_folders / sizeof system_folders[0] ? system_folders[i]
                                                                : s->gcc_folder;
}

static void find_gcc_folder(search *s)
{
    char newest[64] = "";
    DIR *dir = opendir(gcc_folders);
    for (struct dirent *e = NULL; dir != NULL && (e = readdir(dir)) != NULL;) {
        if (isdigit((unsigned char)e->d_name[0]) && strlen(e->d_name) < sizeof newest &&
            strverscmp(e->d_name, newest) > 0)
            (void)snprintf(newest, sizeof newest, "%s", e->d_name);
    }
    if (dir != NULL)
        (void)closedir(dir);
    if (newest[0] != '\0')
        (void)snprintf(s->gcc_folder, sizeof s->gcc_folder, "%s/%s", gcc_folders, newest);
}

/* Tries one file; a missing one is no error. Sets *used_out when it counts as the library. */
static tc_status try_file(const search *s, const char *folder, const char *prefix,
                          const char *name, const char *suffix, int depth, bool *used_out,
                          bool *static_out)
{
    char path[PATH_BYTES_MAX];
    int n = snprintf(path, sizeof path, "%s/%s%s%s", folder, prefix, name, suffix);
    if (n < 0 || (size_t)n >= sizeof path)
        return TC_OK;
    tc_status status = add_file(s, path, depth, used_out, static_out);
    return status == TC_E_NOT_FOUND ? TC_OK : status;
}

/* Searches as a linker does: in each folder the shared library before the static one. */
static tc_status find_library(const search *s, const char *name, int depth, bool *used_out,
                              bool *static_out)
{
    *used_out = false;
    *static_out = false;
    for (size_t i = 0; i < folder_count(s) && !*used_out && !*static_out; i++) {
        const char *folder = folder_at(s, i);
        if (name[0] == ':') {
            TC_TRY(try_file(s, folder, "", name + 1, "", depth, used_out, static_out));
            continue;
        }
        TC_TRY(try_file(s, folder, "lib", name, ".so", depth, used_out, static_out));
        if (!*used_out)
            TC_TRY(try_file(s, folder, "lib", name, ".a", depth, used_out, static_out));
    }
    return TC_OK;
}

static tc_status missing(const search *s, const char *name, const char *found)
{
    char folders[TC_ERROR_TEXT_MAX] = "";
    size_t used = 0;
    for (size_t i = 0; i < folder_count(s) && used < sizeof folders; i++) {
        int n = snprintf(folders + used, sizeof folders - used, "%s%s", i > 0 ? ", " : "",
                         folder_at(s, i));
        used += n > 0 ? (size_t)n : 0;
    }
    return tci_error_set(s->err, TC_E_NO_LIBRARY, "library '-l%s' %s; looked in %s", name,
                         found, folders);
}

/* Adds one name from a linker script. A static part (libc_nonshared.a) is for the linker and
 * skipped. */
static tc_status add_script_input(const search *s, const char *script, const char *input,
                                  int depth)
{
    bool used = false, is_static = false;
    const char *name = input;
    char exact[PATH_BYTES_MAX];
    if (strncmp(input, "-l", 2) == 0) {
        name = input + 2;
    } else if (input[0] == '/') {
        tc_status status = add_file(s, input, depth, &used, &is_static);
        if (status != TC_E_NOT_FOUND && status != TC_OK)
            return status;
    } else {
        /* First beside the script, then in the folders of libraries. */
        const char *slash = strrchr(script, '/');
        (void)snprintf(exact, sizeof exact, ":%s", input);
        name = exact;
        (void)snprintf(exact + 1, sizeof exact - 1, "%.*s/%s",
                       slash != NULL ? (int)(slash - script) : 1, slash != NULL ? script : ".",
                       input);
        tc_status status = add_file(s, exact + 1, depth, &used, &is_static);
        if (status != TC_E_NOT_FOUND && status != TC_OK)
            return status;
        (void)snprintf(exact, sizeof exact, ":%s", input);
    }
    if (!used && !is_static && input[0] != '/')
        TC_TRY(find_library(s, name, depth, &used, &is_static));
    if (!used && !is_static)
        return tci_error_set(s->err, TC_E_NO_LIBRARY,
                             "linker script %s names '%s', which is not there", script, input);
    return TC_OK;
}

static tc_status add_script(const search *s, const char *path, const tci_text_list *inputs,
                            int depth)
{
    if (depth >= SCRIPT_DEPTH_MAX)
        return tci_error_set(s->err, TC_E_NO_LIBRARY, "linker script %s: nested too deep",
                             path);
    for (size_t i = 0; i < inputs->count; i++)
        TC_TRY(add_script_input(s, path, inputs->items[i], depth + 1));
    return TC_OK;
}

static tc_status add_file(const search *s, const char *path, int depth, bool *used_out,
                          bool *static_out)
{
    tci_library_file file;
    TC_TRY(tci_library_file_read(path, &file, s->err));
    tc_status status = TC_OK;
    *used_out = file.kind == TCI_LIBRARY_SHARED || file.kind == TCI_LIBRARY_SCRIPT;
    *static_out = file.kind == TCI_LIBRARY_STATIC;
    if (file.kind == TCI_LIBRARY_SHARED)
        tci_text_list_add_once(s->sonames, file.soname);
    else if (file.kind == TCI_LIBRARY_SCRIPT)
        status = add_script(s, path, &file.inputs, depth);
    tci_library_file_fini(&file);
    return status;
}

/* Returns whether glibc has contained the library since 2.34; the file left for linking is
 * empty and static. */
static bool is_part_of_libc(const char *name)
{
    static const char *const parts[] = {"c", "pthread", "dl", "rt", "util"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(parts[i], name) == 0)
            return true;
    }
    return false;
}

tc_status tci_link_deps(const tci_text_list *libraries, const tci_text_list *folders,
                        tci_text_list *sonames_out, tc_error *err)
{
    search s = {.folders = folders, .sonames = sonames_out, .err = err};
    find_gcc_folder(&s);
    for (size_t i = 0; i < libraries->count; i++) {
        const char *name = libraries->items[i];
        bool used = false, is_static = false;
        if (is_part_of_libc(name))
            continue;
        TC_TRY(find_library(&s, name, 0, &used, &is_static));
        if (is_static)
            return missing(&s, name,
                           "is there as a static library only, which cannot be loaded");
        if (!used)
            return missing(&s, name, "not found");
    }
    if (sonames_out->failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for library names");
    return TC_OK;
}
