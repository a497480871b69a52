/* Loads a function in one of three forms: an archive (.tca), bitcode for several targets (.bc),
 * or a shared object (.so). */
#include "ifunc_folder.h"

#include "compat_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "UCX_IFUNC_LIB_DIR"
#define FILE_BYTES_MAX (512ll << 20)
#define SLICES_MAX 32
#define TRIPLE_BYTES_MAX 128

typedef struct file_content {
    char *bytes; /* NULL: there is no such file */
    size_t size;
} file_content;

typedef struct folder {
    int fd;
    const char *path;
    const char *name; /* the function's */
} folder;

/* --- files ---------------------------------------------------------------------------- */

static ucs_status_t cannot_read(const folder *f, const char *file, const char *why)
{
    return tci_compat_refuse(UCS_ERR_IO_ERROR, "%s/%s: %s", f->path, file, why);
}

static ucs_status_t read_all(const folder *f, const char *file, int fd, size_t size,
                             file_content *out)
{
    char *bytes = malloc(size + 1);
    size_t have = 0;
    if (bytes == NULL)
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "%s/%s: %zu bytes", f->path, file, size);
    while (have < size) {
        ssize_t n = read(fd, bytes + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            free(bytes);
            return cannot_read(f, file, n < 0 ? strerror(errno) : "it became shorter");
        }
        have += (size_t)n;
    }
    *out = (file_content){bytes, size};
    return UCS_OK;
}

/* Reads a whole file. A file that does not exist is UCS_OK, with NULL bytes. */
static ucs_status_t read_file(const folder *f, const char *file, file_content *out)
{
    struct stat info;
    *out = (file_content){NULL, 0};
    int fd = openat(f->fd, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* no wait on FIFOs */
    if (fd < 0)
        return errno == ENOENT ? UCS_OK : cannot_read(f, file, strerror(errno));
    ucs_status_t status;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > FILE_BYTES_MAX)
        status = cannot_read(f, file, "no regular file of at most 512 MiB");
    else
        status = read_all(f, file, fd, (size_t)info.st_size, out);
    close(fd);
    return status;
}

static ucs_status_t read_with(const folder *f, const char *suffix, file_content *out)
{
    char file[TRIPLE_BYTES_MAX + 128];
    (void)snprintf(file, sizeof file, "%s.%s", f->name, suffix);
    return read_file(f, file, out);
}

/* --- bitcode -------------------------------------------------------------------------- */

typedef struct slices {
    tc_bitcode of[SLICES_MAX];
    char triples[SLICES_MAX][TRIPLE_BYTES_MAX];
    size_t count;
} slices;

static void free_slices(slices *s)
{
    for (size_t i = 0; i < s->count; i++)
        free((void *)(uintptr_t)s->of[i].bytes);
}

/* Writes the triple of NAME.<triple>.bc. Returns false for another file. */
static bool triple_of(const char *file, const char *name, char out[TRIPLE_BYTES_MAX])
{
    size_t n = strlen(name), length = strlen(file);
    if (length < n + 5 || memcmp(file, name, n) != 0 || file[n] != '.' ||
        strcmp(file + length - 3, ".bc") != 0 || length - n - 4 >= TRIPLE_BYTES_MAX)
        return false;
    (void)snprintf(out, TRIPLE_BYTES_MAX, "%.*s", (int)(length - n - 4), file + n + 1);
    return true;
}

static ucs_status_t add_slice(const folder *f, const char *file, slices *s)
{
    file_content content;
    char triple[TRIPLE_BYTES_MAX];
    if (!triple_of(file, f->name, triple))
        return UCS_OK;
    if (s->count == SLICES_MAX)
        return tci_compat_refuse(UCS_ERR_EXCEEDS_LIMIT, "%s/%s.*.bc: more than %d files",
                                 f->path, f->name, SLICES_MAX);
    ucs_status_t status = read_file(f, file, &content);
    if (status != UCS_OK || content.bytes == NULL)
        return status;
    memcpy(s->triples[s->count], triple, sizeof triple);
    s->of[s->count] = (tc_bitcode){s->triples[s->count], content.bytes, content.size};
    s->count++;
    return UCS_OK;
}

static ucs_status_t read_slices(const folder *f, slices *s)
{
    const struct dirent *entry;
    ucs_status_t status = UCS_OK;
    int fd = dup(f->fd);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (list == NULL) {
        status = cannot_read(f, "", strerror(errno));
        if (fd >= 0)
            close(fd);
        return status;
    }
    rewinddir(list); /* a dup shares its position */
    while (status == UCS_OK && (entry = readdir(list)) != NULL)
        status = add_slice(f, entry->d_name, s);
    (void)closedir(list);
    return status;
}

static ucs_status_t try_bitcode(const folder *f, const tci_known_code **code_out)
{
    file_content deps = {NULL, 0};
    slices *s = calloc(1, sizeof *s);
    if (s == NULL)
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "%s", f->name);
    ucs_status_t status = read_slices(f, s);
    if (status == UCS_OK && s->count > 0)
        status = read_with(f, "deps", &deps);
    if (status == UCS_OK && s->count > 0)
        status = tci_known_code_add_bitcode(f->name, s->of, s->count, deps.bytes, deps.size,
                                            code_out);
    free(deps.bytes);
    free_slices(s);
    free(s);
    return status;
}

/* --- the other forms ------------------------------------------------------------------ */

static ucs_status_t try_archive(const folder *f, const tci_known_code **code_out)
{
    file_content archive, deps = {NULL, 0};
    ucs_status_t status = read_with(f, "tca", &archive);
    if (status != UCS_OK || archive.bytes == NULL)
        return status;
    status = read_with(f, "deps", &deps);
    if (status == UCS_OK)
        status = tci_known_code_add_archive(archive.bytes, archive.size, deps.bytes, deps.size,
                                            code_out);
    free(deps.bytes);
    free(archive.bytes);
    return status;
}

static ucs_status_t try_library(const folder *f, const tci_known_code **code_out)
{
    file_content library;
    ucs_status_t status = read_with(f, "so", &library);
    if (status != UCS_OK || library.bytes == NULL)
        return status;
    status = tci_known_code_add_library(f->name, library.bytes, library.size, code_out);
    free(library.bytes);
    return status;
}

typedef ucs_status_t (*try_form)(const folder *f, const tci_known_code **code_out);

/* Loads the first form that exists, also when it turns out to be damaged. */
static ucs_status_t try_all(const folder *f, bool prefer_library,
                            const tci_known_code **code_out)
{
    const try_form shipped_first[] = {try_archive, try_bitcode, try_library};
    const try_form library_first[] = {try_library, try_archive, try_bitcode};
    const try_form *forms = prefer_library ? library_first : shipped_first;
    *code_out = NULL;
    for (size_t i = 0; i < 3; i++) {
        ucs_status_t status = forms[i](f, code_out);
        if (status != UCS_OK || *code_out != NULL)
            return status;
    }
    return tci_compat_refuse(UCS_ERR_NO_ELEM, "no %s.tca, %s.<triple>.bc or %s.so in %s",
                             f->name, f->name, f->name, f->path);
}

ucs_status_t tci_ifunc_folder_load(const char *name, bool prefer_library,
                                   const tci_known_code **code_out)
{
    folder f = {.path = secure_getenv(VARIABLE), .name = name};
    if (f.path == NULL || *f.path == '\0')
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                 "%s: " VARIABLE " does not name the folder of functions",
                                 name);
    f.fd = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f.fd < 0)
        return tci_compat_refuse(UCS_ERR_IO_ERROR, "%s: " VARIABLE " is %s: %s", name, f.path,
                                 strerror(errno));
    ucs_status_t status = try_all(&f, prefer_library, code_out);
    close(f.fd);
    return status;
}
