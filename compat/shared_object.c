#include "shared_object.h"

#include "compat_log.h"
#include "function_name.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* The loader treats two libraries of one path as the same, so the descriptor, whose number is
 * in the path, is never closed. */
static ucs_status_t open_bytes(const char *name, const uint8_t *bytes, size_t size,
                               void **library_out)
{
    char path[64];
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || !write_all(fd, bytes, size)) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "%s.so: %s", name, strerror(error));
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    *library_out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*library_out == NULL) {
        ucs_status_t status =
            tci_compat_refuse(UCS_ERR_UNSUPPORTED, "%s.so: %s", name, dlerror());
        close(fd);
        return status;
    }
    return UCS_OK;
}

static void *find(void *library, const char *name, const char *suffix)
{
    char symbol[TCI_FUNCTION_NAME_MAX + 32];
    (void)snprintf(symbol, sizeof symbol, "%s_%s", name, suffix);
    return dlsym(library, symbol);
}

static bool find_entries(void *library, const char *name, tc_entry_points *out)
{
    void *main = find(library, name, "main");
    void *bound = find(library, name, "payload_bound");
    void *max_size = find(library, name, "payload_get_max_size");
    void *init = find(library, name, "payload_init");
    *out = (tc_entry_points){.main = (void (*)(void *, size_t, void *))(uintptr_t)main};
    out->payload_max_size =
        (size_t(*)(void *, size_t))(uintptr_t)(bound != NULL ? bound : max_size);
    if (bound != NULL)
        out->original_init = (int (*)(void *, size_t, void *, size_t *))(uintptr_t)init;
    else
        out->payload_init = (int (*)(void *, size_t, void *, size_t))(uintptr_t)init;
    return main != NULL && (init != NULL) == (out->payload_max_size != NULL);
}

/* Reads the alignment that TC_PAYLOAD_ALIGN defines. */
static ucs_status_t find_alignment(void *library, const char *name, size_t *alignment_out)
{
    const size_t *found = find(library, name, "payload_alignment");
    if (found == NULL)
        return UCS_OK;
    if (*found < 16 || *found > 4096 || (*found & (*found - 1)) != 0)
        return tci_compat_refuse(
            UCS_ERR_INVALID_PARAM,
            "%s.so: payload alignment of %zu bytes, expected a power of two "
            "from 16 to 4096",
            name, *found);
    *alignment_out = *found;
    return UCS_OK;
}

ucs_status_t tci_shared_object_load(const tci_code_parts *parts, tc_entry_points *entries_out,
                                    size_t *alignment_out)
{
    char name[TCI_FUNCTION_NAME_MAX];
    void *library;
    if (parts->first_size >= sizeof name)
        return tci_compat_refuse(UCS_ERR_IO_ERROR, "a name of %zu bytes", parts->first_size);
    memcpy(name, parts->first, parts->first_size);
    name[parts->first_size] = '\0';
    if (!tci_function_name_is_good(name))
        return tci_compat_refuse(UCS_ERR_IO_ERROR, "a library without a function's name");
    ucs_status_t status = open_bytes(name, parts->second, parts->second_size, &library);
    if (status != UCS_OK)
        return status;
    if (find_entries(library, name, entries_out))
        status = find_alignment(library, name, alignment_out);
    else
        status =
            tci_compat_refuse(UCS_ERR_NO_ELEM,
                              "%s.so: expected %s_main, and of the two functions that make "
                              "payloads both or neither",
                              name, name);
    if (status != UCS_OK)
        (void)dlclose(library);
    return status;
}
