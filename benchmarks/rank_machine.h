/* The machine as the ranks of a job see it: their processors, and the load. */
#ifndef TC_PERF_RANK_MACHINE_H
#define TC_PERF_RANK_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keeps this process on the n-th processor of those that it may use, n = rank. False: it may
 * use fewer than `least`, or there is no such one, and it stays where it is. */
bool rank_machine_pin(uint32_t rank, uint32_t least);

/* Writes the load of the last 1, 5 and 15 minutes: "0.52 1.20 1.01", or "unknown". */
void rank_machine_load(char *text, size_t size);

#endif
