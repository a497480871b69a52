#include "archive_file.h"
#include "base/error_text.h"
#include "tc_ar.h"

#include <stdlib.h>
#include <string.h>

#define DEPS_BYTES_MAX (64u << 10)

tc_status tci_ar_deps_read(const char *archive_path, tci_ar_deps *deps_out, tc_error *err)
{
    static const char suffix[] = ".tca";
    size_t stem = strlen(archive_path);
    if (stem >= strlen(suffix) && strcmp(archive_path + stem - strlen(suffix), suffix) == 0)
        stem -= strlen(suffix);
    char *path = malloc(stem + sizeof ".deps");
    if (path == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for its name", archive_path);
    memcpy(path, archive_path, stem);
    memcpy(path + stem, ".deps", sizeof ".deps");

    void *bytes = NULL;
    size_t size = 0;
    tc_status status = tci_archive_file_read(path, DEPS_BYTES_MAX, &bytes, &size, err);
    free(path);
    if (status != TC_OK && status != TC_E_NOT_FOUND)
        return status;
    *deps_out = (tci_ar_deps){.bytes = bytes, .size = size};
    return TC_OK;
}

const char *tci_ar_deps_next(const tci_ar_deps *deps, size_t *at, size_t *length_out)
{
    while (*at < deps->size) {
        const char *line = deps->bytes + *at;
        const char *end = memchr(line, '\n', deps->size - *at);
        size_t length = end != NULL ? (size_t)(end - line) : deps->size - *at;
        *at += length + (end != NULL);
        if (length > 0 && line[length - 1] == '\r')
            length--;
        if (length > 0) {
            *length_out = length;
            return line;
        }
    }
    return NULL;
}
