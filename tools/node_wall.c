/* Collects the allowed paths and starts the warden; later limits the process and checks that
 * the filter works. */
#include "node_wall.h"

#include "node_end.h"
#include "node_filter.h"
#include "node_paths.h"
#include "node_say.h"
#include "node_warden.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static node_warden warden;

static int missing(const char *what)
{
    node_say(NODE_ERROR, "--confine: %s: %s", what, strerror(errno));
    return 1;
}

/* --- allowed paths ------------------------------------------------------------------------ */

/* Read-only: files written there would be run by other, unconfined processes of this user. */
static bool add_cache(node_paths *paths)
{
    char folder[PATH_MAX];
    const char *set = getenv("TC_CACHE_DIR"), *home = getenv("XDG_CACHE_HOME");
    if (set != NULL && strcmp(set, "auto") != 0)
        return *set == '\0' || node_paths_add(paths, set, false);
    if (home != NULL)
        (void)snprintf(folder, sizeof folder, "%s/tchains", home);
    else if ((home = getenv("HOME")) != NULL)
        (void)snprintf(folder, sizeof folder, "%s/.cache/tchains", home);
    return home == NULL || node_paths_add(paths, folder, false);
}

/* Adds the file of a list, "@FILE", which is read again after SIGHUP. */
static bool add_list(node_paths *paths, const char *variable)
{
    const char *set = getenv(variable);
    return set == NULL || set[0] != '@' || node_paths_add(paths, set + 1, false);
}

static bool add_allowed(const node_arguments *args, node_paths *paths)
{
    for (unsigned i = 0; i < args->allowed_count; i++) {
        if (access(args->allowed[i], F_OK) != 0) {
            node_say(NODE_ERROR, "--confine: %s: %s", args->allowed[i], strerror(errno));
            return false;
        }
        if (!node_paths_add(paths, args->allowed[i], args->allowed_writable[i] != 0))
            return false;
    }
    return true;
}

static bool add_all(const node_arguments *args, node_paths *paths)
{
    return node_paths_add_system(paths) && add_cache(paths) &&
           node_paths_add_list(paths, getenv("LD_LIBRARY_PATH"), false) &&
           node_paths_add_list(paths, getenv("TC_ENGINE_PATH"), false) &&
           node_paths_add_list(paths, getenv("TC_IFUNC_PATH"), false) &&
           node_paths_add_list(paths, getenv("TC_TRUST"), false) &&
           add_list(paths, "TC_CODE_ALLOW") && add_list(paths, "TC_CODE_REVOKED") &&
           (args->config == NULL || node_paths_add(paths, args->config, false)) &&
           add_allowed(args, paths);
}

int node_wall_prepare(const node_arguments *args)
{
    static node_paths paths;
    if (!node_filter_bearable())
        return node_end_complain(
            "--confine: not in a build with a sanitizer, which needs files");
    if (!add_all(args, &paths))
        return node_end_complain("--confine: not all paths can be allowed");
    /* Sockets cannot be opened later, and UCX's network needs one for each peer. */
    (void)setenv("TC_NETWORK", "no", 0);
    if (!node_warden_start(&paths, &warden))
        return missing("no process to open files with");
    /* The warden, which opens files, was started before and is not restricted by this. */
    return node_filter_scope() == 0 ? 0 : missing("no Landlock, which this kernel has");
}

/* --- raising ------------------------------------------------------------------------------ */

/* Checks the filter from inside, where alone its effect is visible. */
static int try_it(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return missing("files that are allowed cannot be opened (Linux 5.14 can)");
    (void)close(fd);
    fd = open("/proc/1/environ", O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return 0;
    return node_end_complain("--confine: files that are not allowed can be opened");
}

int node_wall_raise(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0)
        return missing("no limit of core files");
    int listener = node_filter_set();
    if (listener < 0)
        return missing("no seccomp with notifications for all threads (Linux 5.7 has it)");
    if (!node_warden_watch(&warden, listener))
        return missing("who opens files has gone");
    if (node_filter_close() != 0)
        return missing("no second filter");
    return try_it();
}
