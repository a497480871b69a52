#include "node_paths.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool node_paths_add(node_paths *paths, const char *path, bool writable)
{
    char *resolved = realpath(path, NULL);
    if (resolved == NULL)
        return true;
    if (paths->count == NODE_PATHS_MAX) {
        free(resolved);
        return false;
    }
    paths->rules[paths->count].path = resolved;
    paths->rules[paths->count++].writable = writable;
    return true;
}

bool node_paths_add_list(node_paths *paths, const char *list, bool writable)
{
    char path[PATH_MAX];
    while (list != NULL && *list != '\0') {
        size_t size = strcspn(list, ":");
        if (size > 0 && size < sizeof path) {
            memcpy(path, list, size);
            path[size] = '\0';
            if (!node_paths_add(paths, path, writable))
                return false;
        }
        list += size + (list[size] == ':');
    }
    return true;
}

/* Adds the folders beside bin/, where tc-node is: lib/ has the library's modules. */
static bool add_own_folders(node_paths *paths)
{
    static const char *const beside[] = {"/lib", "/lib64", "/libexec"};
    char program[PATH_MAX], place[PATH_MAX + 16];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0)
        return true;
    program[size] = '\0';
    const char *top = dirname(dirname(program));
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        if (strlen(top) + strlen(beside[i]) >= sizeof place)
            return true;
        strcpy(place, top);
        strcat(place, beside[i]);
        if (strcmp(top, "/") != 0 && !node_paths_add(paths, place, false))
            return false;
    }
    return true;
}

bool node_paths_add_system(node_paths *paths)
{
    static const char *const readable[] = {
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/etc/ld.so.cache",
        "/dev/urandom",
        "/dev/random",
        "/dev/zero",
        "/sys/devices/system/cpu",
        "/proc/meminfo",
        "/proc/cpuinfo",
        "/proc/stat",
        "/etc/localtime",
        "/usr/share/zoneinfo",
    };
    for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
        if (!node_paths_add(paths, readable[i], false))
            return false;
    }
    return node_paths_add(paths, "/dev/null", true) && add_own_folders(paths);
}

static bool is_below(const char *path, const char *rule)
{
    size_t size = strlen(rule);
    return strncmp(path, rule, size) == 0 &&
           (path[size] == '\0' || path[size] == '/' || strcmp(rule, "/") == 0);
}

bool node_paths_allow(const node_paths *paths, const char *path, bool writes)
{
    for (size_t i = 0; i < paths->count; i++) {
        if ((paths->rules[i].writable || !writes) && is_below(path, paths->rules[i].path))
            return true;
    }
    return false;
}
