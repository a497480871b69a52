/* Reads a request from the caller's memory, resolves its names to descriptors, checks their
 * paths, and makes the request for the node. */
#include "node_request.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u
#define SHARED_MEMORY "/ucx_shm_posix_"
#define OPEN_FLAGS                                                                             \
    (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_DIRECTORY | O_NOFOLLOW |            \
     O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_SYNC | O_LARGEFILE)

/* --- reading the call --------------------------------------------------------------------- */

/* Reads page by page, as the memory after the name may not be mapped. */
static int read_path(pid_t caller, uint64_t address, char path[PATH_MAX])
{
    for (size_t have = 0; have < PATH_MAX;) {
        size_t part = PAGE - (address + have) % PAGE;
        if (part > PATH_MAX - have)
            part = PATH_MAX - have;
        struct iovec here = {path + have, part};
        struct iovec there = {(void *)(uintptr_t)(address + have), part};
        if (process_vm_readv(caller, &here, 1, &there, 1, 0) != (ssize_t)part)
            return EFAULT;
        if (memchr(path + have, '\0', part) != NULL)
            return path[0] != '\0' ? 0 : ENOENT;
        have += part;
    }
    return ENAMETOOLONG;
}

static int read_name(const struct seccomp_data *call, unsigned folder, unsigned path,
                     pid_t caller, node_name *name)
{
    name->folder = (int)call->args[folder];
    return read_path(caller, call->args[path], name->path);
}

#ifdef SYS_open
/* Reads one of the older calls, which begin at the current folder. Returns 0 or an errno. */
static int read_old_call(const struct seccomp_data *call, node_request *r)
{
    r->name.folder = r->new_name.folder = AT_FDCWD;
    int problem = read_path(r->caller, call->args[0], r->name.path);
    switch (call->nr) {
    case SYS_open:
        r->flags = (int)call->args[1];
        r->mode = (mode_t)call->args[2];
        return problem;
    case SYS_creat:
        r->flags = O_CREAT | O_WRONLY | O_TRUNC;
        r->mode = (mode_t)call->args[1];
        return problem;
    case SYS_unlink:
    case SYS_rmdir:
        r->deed = NODE_REMOVE;
        r->flags = call->nr == SYS_rmdir ? AT_REMOVEDIR : 0;
        return problem;
    case SYS_rename:
        r->deed = NODE_RENAME;
        return problem != 0 ? problem : read_path(r->caller, call->args[1], r->new_name.path);
    case SYS_mkdir:
        r->deed = NODE_MAKE_FOLDER;
        r->mode = (mode_t)call->args[1];
        return problem;
    default:
        return ENOSYS;
    }
}
#else
static int read_old_call(const struct seccomp_data *call, node_request *r)
{
    (void)call, (void)r;
    return ENOSYS;
}
#endif

int node_request_read(const struct seccomp_data *call, pid_t caller, pid_t node,
                      node_request *r)
{
    r->deed = NODE_OPEN;
    r->caller = caller;
    r->node = node;
    r->flags = 0;
    r->mode = 0;
    switch (call->nr) {
    case SYS_openat:
        r->flags = (int)call->args[2];
        r->mode = (mode_t)call->args[3];
        break;
    case SYS_unlinkat:
        r->deed = NODE_REMOVE;
        r->flags = (int)call->args[2];
        break;
    case SYS_mkdirat:
        r->deed = NODE_MAKE_FOLDER;
        r->mode = (mode_t)call->args[2];
        break;
    case SYS_renameat2:
        r->flags = (int)call->args[4];
        /* fall through */
    case SYS_renameat: {
        r->deed = NODE_RENAME;
        int problem = read_name(call, 2, 3, caller, &r->new_name);
        if (problem != 0)
            return problem;
        break;
    }
    default:
        return read_old_call(call, r);
    }
    return read_name(call, 0, 1, caller, &r->name);
}

/* --- paths -------------------------------------------------------------------------------- */

/* Opens the folder at which the name begins; `*rest_out` is the rest of the name. /proc/self is
 * the node's folder, as here it would be this process's. Returns -1 on failure: errno has the
 * reason. */
static int open_start(const node_request *r, const node_name *name, const char **rest_out)
{
    static const char *const selves[] = {"/proc/self/", "/proc/thread-self/"};
    char place[64];
    *rest_out = name->path;
    for (size_t i = 0; i < sizeof selves / sizeof selves[0]; i++) {
        if (strncmp(name->path, selves[i], strlen(selves[i])) == 0) {
            *rest_out = name->path + strlen(selves[i]);
            (void)snprintf(place, sizeof place, "/proc/%d", (int)r->node);
            return open(place, O_PATH | O_CLOEXEC);
        }
    }
    if (name->path[0] == '/')
        return open("/", O_PATH | O_CLOEXEC);
    if (name->folder == AT_FDCWD)
        (void)snprintf(place, sizeof place, "/proc/%d/cwd", (int)r->caller);
    else
        (void)snprintf(place, sizeof place, "/proc/%d/fd/%d", (int)r->caller, name->folder);
    return open(place, O_PATH | O_CLOEXEC | O_DIRECTORY);
}

/* Opens the file or folder itself, without access to its content. Returns -1 on failure: errno
 * has the reason. */
static int open_place(const node_request *r, const node_name *name, const char *path, int flags)
{
    const char *rest;
    int start = open_start(r, name, &rest);
    if (start < 0)
        return -1;
    if (path == NULL)
        path = rest;
    while (*path == '/')
        path++;
    int place = openat(start, *path != '\0' ? path : ".", O_PATH | O_CLOEXEC | flags);
    int problem = errno;
    (void)close(start);
    errno = problem;
    return place;
}

static void write_link(int fd, char link[32])
{
    (void)snprintf(link, 32, "/proc/self/fd/%d", fd);
}

/* Writes the path of an open file. Returns false if it has none. */
static bool find_path(int place, char path[PATH_MAX])
{
    char link[32];
    write_link(place, link);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
    return size > 0 && path[0] == '/';
}

/* Returns whether the path matches `form`, in which '#' is a number: "/proc/4711/fd/15" and the
 * like. */
static bool has_form(const char *path, const char *form)
{
    for (; *form != '\0'; form++) {
        if (*form != '#') {
            if (*path++ != *form)
                return false;
            continue;
        }
        if (*path < '0' || *path > '9')
            return false;
        while (*path >= '0' && *path <= '9')
            path++;
    }
    return *path == '\0';
}

/* Returns whether the path is UCX's file of shared memory, which loses its name once it is
 * made. */
static bool is_shared_memory_path(const char *path)
{
    const char *folder = getenv("UCX_POSIX_DIR");
    if (folder == NULL || *folder == '\0')
        folder = "/dev/shm";
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 &&
           strncmp(path + size, SHARED_MEMORY, strlen(SHARED_MEMORY)) == 0;
}

/* Returns whether the file is shared memory of a peer, which UCX names by the process that made
 * it. */
static bool is_shared_memory(const node_request *r, const char *path, const struct stat *about)
{
    return has_form(r->name.path, "/proc/#/fd/#") && S_ISREG(about->st_mode) &&
           about->st_uid == geteuid() && is_shared_memory_path(path);
}

/* Returns whether the file describes the node itself: the C library reads some of these files,
 * and others are used to find the user of a peer. */
static bool is_of_node(const node_request *r, const char *path)
{
    static const char *const files[] = {"maps",   "stat",    "statm",   "status",
                                        "cgroup", "net/tcp", "net/tcp6"};
    char own[64];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(own, sizeof own, "/proc/%d/%s", (int)r->node, files[i]);
        if (strcmp(path, own) == 0)
            return true;
    }
    return false;
}

static bool may_open(const node_request *r, const node_paths *paths, const char *path,
                     const struct stat *about, bool writes)
{
    if (!S_ISREG(about->st_mode) && !S_ISDIR(about->st_mode) && !S_ISCHR(about->st_mode))
        return false;
    return node_paths_allow(paths, path, writes) || is_shared_memory(r, path, about) ||
           (!writes && (has_form(path, "/proc/#/stat") || is_of_node(r, path)));
}

/* --- opening ------------------------------------------------------------------------------ */

static bool writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

static bool may_change(const node_paths *paths, const char *folder, const char *last)
{
    char path[PATH_MAX + NAME_MAX + 2];
    (void)snprintf(path, sizeof path, "%s/%s", folder, last);
    return node_paths_allow(paths, folder, true) || is_shared_memory_path(path);
}

/* Opens the folder of a name, if that may be changed, and writes the name's last part. Returns
 * -1 with errno on failure. */
static int open_parent(const node_request *r, const node_name *name, const node_paths *paths,
                       char last[NAME_MAX + 1])
{
    char folder[PATH_MAX], path[PATH_MAX];
    const char *rest;
    int start = open_start(r, name, &rest);
    if (start < 0)
        return -1;
    (void)close(start);
    const char *slash = strrchr(rest, '/');
    const char *base = slash != NULL ? slash + 1 : rest;
    errno = EACCES;
    if (*base == '\0' || strlen(base) > NAME_MAX || strcmp(base, ".") == 0 ||
        strcmp(base, "..") == 0)
        return -1;
    strcpy(last, base);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(base - rest), rest);
    int place = open_place(r, name, folder, O_DIRECTORY);
    if (place < 0)
        return -1;
    if (find_path(place, path) && may_change(paths, path, last))
        return place;
    (void)close(place);
    errno = EACCES;
    return -1;
}

static int open_new(const node_request *r, const node_paths *paths)
{
    char last[NAME_MAX + 1];
    int folder = open_parent(r, &r->name, paths, last);
    if (folder < 0)
        return -1;
    int fd = openat(folder, last, (r->flags & OPEN_FLAGS) | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
                    r->mode & 0777u);
    int problem = errno;
    (void)close(folder);
    errno = problem;
    return fd;
}

/* Opens an existing file by the descriptor whose path is checked. */
static int open_found(const node_request *r, const node_paths *paths, int place)
{
    char path[PATH_MAX], link[32];
    struct stat about;
    errno = EACCES;
    if (fstat(place, &about) != 0 || !find_path(place, path) ||
        !may_open(r, paths, path, &about, writes(r->flags & ~O_CREAT)))
        return -1;
    errno = EEXIST;
    if ((r->flags & O_CREAT) && (r->flags & O_EXCL))
        return -1;
    write_link(place, link);
    int flags = r->flags & OPEN_FLAGS & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
    return open(link, flags | O_CLOEXEC | O_NOCTTY);
}

static int open_file(const node_request *r, const node_paths *paths)
{
    if ((r->flags & ~OPEN_FLAGS) != 0) { /* O_PATH, O_TMPFILE and rarer ones */
        errno = EACCES;
        return -1;
    }
    int place = open_place(r, &r->name, NULL, r->flags & O_NOFOLLOW);
    if (place < 0)
        return errno == ENOENT && (r->flags & O_CREAT) ? open_new(r, paths) : -1;
    int fd = open_found(r, paths, place);
    int problem = errno;
    (void)close(place);
    errno = problem;
    return fd;
}

/* --- changing ----------------------------------------------------------------------------- */

static int change(const node_request *r, const node_paths *paths)
{
    char last[NAME_MAX + 1], new_last[NAME_MAX + 1];
    int result = -1, new_folder = -1;
    int folder = open_parent(r, &r->name, paths, last);
    if (folder < 0)
        return errno;
    if (r->deed == NODE_REMOVE) {
        result = unlinkat(folder, last, r->flags);
    } else if (r->deed == NODE_MAKE_FOLDER) {
        result = mkdirat(folder, last, r->mode & 0777u);
    } else {
        new_folder = open_parent(r, &r->new_name, paths, new_last);
        if (new_folder >= 0)
            result = (int)syscall(SYS_renameat2, folder, last, new_folder, new_last, r->flags);
    }
    int problem = result == 0 ? 0 : errno;
    (void)close(folder);
    if (new_folder >= 0)
        (void)close(new_folder);
    return problem;
}

void node_request_do(const node_request *r, const node_paths *paths, node_opened *opened_out)
{
    if (r->deed != NODE_OPEN) {
        opened_out->problem = change(r, paths);
        return;
    }
    opened_out->fd = open_file(r, paths);
    opened_out->problem = opened_out->fd < 0 ? errno : 0;
    opened_out->close_on_exec = (r->flags & O_CLOEXEC) != 0;
}
