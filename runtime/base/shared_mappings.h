/* The shared memory that this process has mapped, as the kernel lists it (/proc/self/maps).
 *
 * A library that attaches memory for us may be told by a stranger where to, so what it has
 * attached is looked up rather than believed: list, let it attach, and ask. */
#ifndef TCI_SHARED_MAPPINGS_H
#define TCI_SHARED_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_shared_mapping {
    uint64_t start, end;
    uint64_t file; /* its number */
} tci_shared_mapping;

/* Zero-initialized: none. */
typedef struct tci_shared_mappings {
    tci_shared_mapping *at;
    size_t count, room;
} tci_shared_mappings;

/* Those that can be read and written. False: out of memory, or there is no such list; then it
 * is empty. */
bool tci_shared_mappings_list(tci_shared_mappings *list_out);
void tci_shared_mappings_free(tci_shared_mappings *list);

/* Whether all of the bytes lie in one mapping that was made since `before` was listed. */
bool tci_shared_mappings_added(const tci_shared_mappings *before, uint64_t address,
                               size_t bytes);

/* Whether one of the list begins there and holds so many bytes. */
bool tci_shared_mappings_begin(const tci_shared_mappings *list, uint64_t address, size_t bytes);

/* Copies bytes of this process's memory, at most 4096. False: some of them cannot be read. One
 * that reads them itself is killed where the file of a mapping is shorter than that. */
bool tci_shared_mappings_peek(uint64_t address, void *bytes_out, size_t size);

#endif
