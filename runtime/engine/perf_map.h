/* The file that `perf report` finds the names of shipped code in: /tmp/perf-PID.map, a line
 * "BEGIN SIZE NAME" in hexadecimal for each piece of code. It stays behind, as the report is
 * made when the process is gone. */
#ifndef TCI_PERF_MAP_H
#define TCI_PERF_MAP_H

#include "engine/engine_ops.h"

/* Begins it, with all that is loaded already; when it was begun before, nothing happens. A
 * failure is logged. The file is this user's alone, and was made by this call: a name that
 * somebody else has taken is not written to. Any thread. */
void tci_perf_map_open(void);

/* One more line; nothing before tci_perf_map_open, or in a fork. Under the lock of code_map.c.
 */
void tci_perf_map_write(const tci_code_symbol *symbol);

#endif
