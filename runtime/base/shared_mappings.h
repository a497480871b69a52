/* The shared memory that this process has mapped, as the kernel lists it (/proc/self/maps).
 *
 * A library that attaches memory for this process may get the location from an unauthenticated
 * peer. So the attached memory is looked up, not trusted: list the mappings, let the library
 * attach, then check. */
#ifndef TCI_SHARED_MAPPINGS_H
#define TCI_SHARED_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_shared_mapping {
    uint64_t start, end;
    uint64_t file; /* its inode number */
} tci_shared_mapping;

/* Zero-initialized: empty. */
typedef struct tci_shared_mappings {
    tci_shared_mapping *at;
    size_t count, capacity;
} tci_shared_mappings;

/* Lists the mappings that can be read and written. Returns false without memory, or when the
 * kernel's list cannot be read; *list_out is then empty. */
bool tci_shared_mappings_list(tci_shared_mappings *list_out);
void tci_shared_mappings_free(tci_shared_mappings *list);

/* Returns whether all of the bytes lie in one mapping that was made since `before` was
 * listed. */
bool tci_shared_mappings_added(const tci_shared_mappings *before, uint64_t address,
                               size_t bytes);

/* Returns whether a mapping of the list begins at `address` and holds `bytes` bytes. */
bool tci_shared_mappings_begin(const tci_shared_mappings *list, uint64_t address, size_t bytes);

/* Copies bytes of this process's memory, at most 4096. Returns false when some of them cannot
 * be read. A direct load would kill the process where the file of a mapping is shorter than the
 * mapping. */
bool tci_shared_mappings_peek(uint64_t address, void *bytes_out, size_t size);

#endif
