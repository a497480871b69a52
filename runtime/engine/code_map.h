/* Finds the function with the code at an address, for crash handlers, profilers and people.
 *
 * There is one map per process. Signal handlers read it, where no lock may be taken, while any
 * thread adds and removes entries. So an entry's memory, once allocated, is never freed, and is
 * read as words that carry a version. */
#ifndef TCI_CODE_MAP_H
#define TCI_CODE_MAP_H

#include "base/content_id.h"
#include "engine/engine_ops.h"

#include <stdbool.h>

#define TCI_CODE_MAP_NAME 112 /* bytes of a name with its terminator; the rest is cut off */

/* The names of one function's code. */
typedef struct tci_code_names tci_code_names;

/* Adds the names of loaded code. NULL without memory or symbols: then the code has no name,
 * which does no other harm. The names also go into the file for perf, if it was begun. */
tci_code_names *tci_code_map_add(const tci_content_id *id, const tci_code_symbol *symbols,
                                 size_t count);
/* Called before the code is unloaded. NULL is allowed. */
void tci_code_map_remove(tci_code_names *names);

typedef struct tci_found_code {
    char name[TCI_CODE_MAP_NAME];
    tci_content_id id;
    size_t offset; /* of the address, from the start of the named code */
} tci_found_code;

/* Returns false if no shipped function has code at that address. May be called in a signal
 * handler. */
bool tci_code_map_find(uintptr_t address, tci_found_code *found_out);

/* Begins the file in which `perf report` finds the names, with all code that is loaded already:
 * /tmp/perf-PID.map, a line "BEGIN SIZE NAME" in hexadecimal for each piece of code. The file
 * is not removed, as the report is made after the process has ended. Does nothing if the file
 * was begun before. A failure is logged. The file belongs to this user alone and is created by
 * this call: an existing file of another user is not written to. Any thread. */
void tci_code_map_open_perf(void);

#endif
