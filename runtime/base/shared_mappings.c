#include "shared_mappings.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- the list ---------------------------------------------------------------------------- */

static bool parse(const char *line, tci_shared_mapping *mapping_out)
{
    char access[5];
    int fields = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %" SCNu64,
                        &mapping_out->start, &mapping_out->end, access, &mapping_out->file);
    return fields == 4 && access[0] == 'r' && access[1] == 'w' && access[3] == 's';
}

static bool add(tci_shared_mappings *list, const tci_shared_mapping *mapping)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        /* bound: vm.max_map_count */
        tci_shared_mapping *grown = realloc(list->at, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        list->at = grown;
        list->capacity = capacity;
    }
    list->at[list->count++] = *mapping;
    return true;
}

static bool add_all(tci_shared_mappings *list, FILE *maps)
{
    char *line = NULL;
    size_t capacity = 0;
    bool ok = true;
    tci_shared_mapping mapping;
    while (ok && getline(&line, &capacity, maps) > 0) {
        if (parse(line, &mapping))
            ok = add(list, &mapping);
    }
    ok = ok && ferror(maps) == 0;
    free(line);
    return ok;
}

bool tci_shared_mappings_list(tci_shared_mappings *list_out)
{
    *list_out = (tci_shared_mappings){0};
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL)
        return false;
    bool ok = add_all(list_out, maps);
    (void)fclose(maps);
    if (!ok)
        tci_shared_mappings_free(list_out);
    return ok;
}

void tci_shared_mappings_free(tci_shared_mappings *list)
{
    free(list->at);
    *list = (tci_shared_mappings){0};
}

/* --- new mappings ------------------------------------------------------------------------ */

static const tci_shared_mapping *find(const tci_shared_mappings *list, uint64_t address)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].start <= address && address < list->at[i].end)
            return &list->at[i];
    }
    return NULL;
}

bool tci_shared_mappings_added(const tci_shared_mappings *before, uint64_t address,
                               size_t bytes)
{
    tci_shared_mappings now;
    if (!tci_shared_mappings_list(&now))
        return false;
    const tci_shared_mapping *in = find(&now, address);
    const tci_shared_mapping *was = find(before, address);
    bool added = in != NULL && bytes <= in->end - address &&
                 (was == NULL || was->start != in->start || was->file != in->file);
    tci_shared_mappings_free(&now);
    return added;
}

bool tci_shared_mappings_begin(const tci_shared_mappings *list, uint64_t address, size_t bytes)
{
    const tci_shared_mapping *in = find(list, address);
    return in != NULL && in->start == address && bytes <= in->end - address;
}

/* --- reading ----------------------------------------------------------------------------- */

/* Lets the kernel read the bytes: it returns an error where a load would raise a signal. */
bool tci_shared_mappings_peek(uint64_t address, void *bytes_out, size_t size)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    bool ok = write(ends[1], (const void *)(uintptr_t)address, size) == (ssize_t)size &&
              read(ends[0], bytes_out, size) == (ssize_t)size;
    (void)close(ends[0]);
    (void)close(ends[1]);
    return ok;
}
