/* Writes the object to a sealed file in memory and opens it by its path in /proc/self/fd. */
#include "shared_library.h"

#include "base/error_text.h"
#include "base/full_io.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { AT_INIT, AT_FINI, ENTRIES };
enum { PATH_BYTES = sizeof "/proc/self/fd" + 64 * 2 + sizeof "/2147483647" };

struct tci_shared_library {
    void *handle;
    int fd; /* stays open for tools that look up the object's file */
    size_t size;
    void *table[];
};

static tc_status make_file(const char *name, const void *bytes, size_t size, int *fd_out,
                           tc_error *err)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "a file in memory");
    if (tci_full_io_write(fd, bytes, size) &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0) {
        *fd_out = fd;
        return TC_OK;
    }
    tc_status status =
        tci_error_errno(err, TC_E_IO, errno, "a file of %zu bytes in memory", size);
    (void)close(fd);
    return status;
}

/* Writes a path of its own for each file, as the dynamic linker takes two files of one path for
 * the same. Otherwise an object that stays loaded when it is closed (-z nodelete, and C++
 * definitions that exist once in a process) would be used instead of each later one with its
 * descriptor. So the slashes encode a number: "/." is a 1 and "/" a 0. */
static void write_path(int fd, char path[PATH_BYTES])
{
    static _Atomic uint64_t files;
    char *end = stpcpy(path, "/proc/self/fd");
    for (uint64_t number = files++; number > 0; number /= 2)
        end = stpcpy(end, number % 2 != 0 ? "/." : "/");
    (void)snprintf(end, (size_t)(path + PATH_BYTES - end), "/%d", fd);
}

static tc_status open_file(int fd, void **handle_out, tc_error *err)
{
    char path[PATH_BYTES];
    write_path(fd, path);
    *handle_out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*handle_out != NULL)
        return TC_OK;
    const char *reason = dlerror();
    return tci_error_set(err, TC_E_NO_LIBRARY, "the shared object cannot be loaded: %s",
                         reason != NULL ? reason : "no reason given");
}

static tc_status fill_table(const tci_archive *archive, tci_shared_library *library,
                            tc_error *err)
{
    char entry[TCI_ARCHIVE_NAME_MAX + 8];
    (void)snprintf(entry, sizeof entry, "%s_init", tci_archive_name(archive));
    library->table[AT_INIT] = dlsym(library->handle, entry);
    (void)snprintf(entry, sizeof entry, "%s_fini", tci_archive_name(archive));
    library->table[AT_FINI] = dlsym(library->handle, entry);
    for (size_t i = 0; i < tci_archive_export_count(archive); i++) {
        const char *symbol = tci_archive_export(archive, i).name;
        library->table[ENTRIES + i] = dlsym(library->handle, symbol);
        if (library->table[ENTRIES + i] == NULL)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "the shared object has no %s, which the archive lists",
                                 symbol);
    }
    return TC_OK;
}

tc_status tci_shared_library_open(const tci_archive *archive, size_t slice,
                                  tci_shared_library **library_out, tc_error *err)
{
    const size_t count = ENTRIES + tci_archive_export_count(archive);
    tci_shared_library *library = calloc(1, sizeof *library + count * sizeof *library->table);
    if (library == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "shared object: out of memory");
    library->fd = -1;
    library->size = tci_archive_slice(archive, slice)->size;
    tc_status status =
        make_file(tci_archive_name(archive), tci_archive_slice_bytes(archive, slice),
                  library->size, &library->fd, err);
    if (status == TC_OK)
        status = open_file(library->fd, &library->handle, err);
    if (status == TC_OK)
        status = fill_table(archive, library, err);
    if (status != TC_OK) {
        tci_shared_library_close(library);
        return status;
    }
    *library_out = library;
    return TC_OK;
}

void *const *tci_shared_library_table(const tci_shared_library *library)
{
    return library->table;
}

size_t tci_shared_library_memory(const tci_shared_library *library)
{
    return library->size;
}

void tci_shared_library_close(tci_shared_library *library)
{
    if (library == NULL)
        return;
    if (library->handle != NULL)
        (void)dlclose(library->handle);
    if (library->fd >= 0)
        (void)close(library->fd);
    free(library);
}
