/* The share of other programs, and of a hypervisor's other guests, in the processors that a
 * measurement needs; and the figures that can still be believed. */
#ifndef TC_PERF_INTERFERENCE_H
#define TC_PERF_INTERFERENCE_H

#include "perf_stats.h"

#include <stdbool.h>
#include <stdint.h>

/* Shares of the time of two processes that run all the time. Beyond the first one a machine is
 * busy; beyond the second one no figure holds. */
#define INTERFERENCE_BUSY 0.1
#define INTERFERENCE_LOST 0.5
/* Quartiles of rounds that lie further apart belong to no figure; fewer rounds have none. */
#define INTERFERENCE_SPREAD 3.0
#define INTERFERENCE_ROUNDS 4u

/* A machine's state during rounds. */
typedef enum interference_level {
    INTERFERENCE_NONE,
    INTERFERENCE_SOME,
    INTERFERENCE_MUCH
} interference_level;

/* The parts of a measurement that a figure is of. */
typedef enum interference_figure {
    INTERFERENCE_MEDIAN, /* of many trips, most of which no other program meets */
    INTERFERENCE_TAIL,   /* the trips that other programs meet */
    INTERFERENCE_RATE    /* all the time that passed */
} interference_figure;

/* The time for which the calling thread could have run, and did not; its kernel's count. 0
 * where the kernel does not count. */
uint64_t interference_waited_ns(void);

/* The time that a hypervisor gave others of two processors; -1: all of them. */
uint64_t interference_stolen_ns(const int *cpus);

/* The state from the share of each round for which they waited for a processor; 1: all of the
 * time. The median decides. Sorts shares. */
interference_level interference_of(double *shares, unsigned count);

/* Returns whether a figure of so many rounds is spoilt. */
bool interference_spoils(interference_level state, interference_figure figure,
                         perf_spread spread, unsigned rounds);

#endif
