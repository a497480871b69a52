/* Memory where payloads land that do not lie in a ring. What brings one writes to `bytes`; the
 * function that it is for gets `view`: the same memory, or with the option payload=readonly the same
 * pages mapped once more, where a store faults. */
#ifndef TCI_LANDING_H
#define TCI_LANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_landing {
    uint8_t *bytes; /* NULL: none */
    uint8_t *view;
    size_t room;
} tci_landing;

/* At least `room` bytes at a multiple of the alignment, a power of two of at most a page. They take
 * no memory until they are written. False: there is none, and nothing was changed. */
bool tci_landing_make(size_t room, size_t alignment, bool read_only, tci_landing *landing_out);
/* Does nothing for none. */
void tci_landing_free(tci_landing *landing);

static inline bool tci_landing_holds(const tci_landing *landing, uintptr_t address)
{
    return address - (uintptr_t)landing->view < landing->room;
}

#endif
