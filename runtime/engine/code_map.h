/* Which function's code lies at an address: for crash handlers, profilers and people.
 *
 * One map per process. It is asked in signal handlers, where no lock may be taken, while any
 * thread adds and removes: so a part of it, once made, stays for ever, and is read as words
 * that carry a version. */
#ifndef TCI_CODE_MAP_H
#define TCI_CODE_MAP_H

#include "base/content_id.h"
#include "engine/engine_ops.h"

#include <stdbool.h>

#define TCI_CODE_MAP_NAME 112 /* bytes of a name with its terminator; the rest is cut off */

/* The names of one function's code. */
typedef struct tci_code_names tci_code_names;

/* Names what was loaded. NULL when there is no memory, or no symbol: then the code has no name,
 * and that is all. The names go into the file for perf, too, if it was begun. */
tci_code_names *tci_code_map_add(const tci_content_id *id, const tci_code_symbol *symbols,
                                 size_t count);
/* Before the code is unloaded. NULL is allowed. */
void tci_code_map_remove(tci_code_names *names);

typedef struct tci_found_code {
    char name[TCI_CODE_MAP_NAME];
    tci_content_id id;
    size_t offset; /* of the address from where the name begins */
} tci_found_code;

/* False: no function that was shipped here has code at that address. May be called in a signal
 * handler. */
bool tci_code_map_find(uintptr_t address, tci_found_code *found_out);

/* Begins the file that `perf report` finds the names in, with all that is loaded already:
 * /tmp/perf-PID.map, a line "BEGIN SIZE NAME" in hexadecimal for each piece of code. It stays
 * behind, as the report is made when the process is gone. When it was begun before, nothing
 * happens. A failure is logged. The file is this user's alone, and was made by this call: a
 * name that somebody else has taken is not written to. Any thread. */
void tci_code_map_open_perf(void);

#endif
