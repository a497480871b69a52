/* The table of a pointer chase, and the chase on one machine that all others are checked by. */
#ifndef TC_PERF_DAPC_TABLE_H
#define TC_PERF_DAPC_TABLE_H

#include "ifuncs/dapc.h"
#include "perf_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DAPC_SERVERS_MAX PERF_SERVERS_MAX
#define DAPC_INFLIGHT_MAX PERF_INFLIGHT_MAX
#define DAPC_PLACE_BITS 15u /* 32768 entries, or 256 KB, on each server */

typedef struct dapc_table {
    uint64_t *entries;
    uint64_t count;
    unsigned servers;
    int fd; /* of the memory that the entries are in */
} dapc_table;

/* One cycle through all entries in random order, the same in every run: the successor of an
 * entry is on any server with the same probability. False: no memory. */
bool dapc_table_make(dapc_table *table, unsigned servers);
/* The same table, in another process that has its descriptor, to read; takes the descriptor
 * over. False: it is of another size, or no memory. */
bool dapc_table_map(dapc_table *table, int fd, unsigned servers);
void dapc_table_free(dapc_table *table);

dapc_shard dapc_table_shard(const dapc_table *table, unsigned rank);

/* Where the chase of this number begins. */
uint64_t dapc_table_start(const dapc_table *table, uint64_t number);
/* The server that the client sends it to, when that may be any. */
unsigned dapc_table_any(const dapc_table *table, uint64_t number);
uint64_t dapc_table_chase(const dapc_table *table, uint64_t address, uint64_t depth);

#endif
