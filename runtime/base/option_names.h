/* Names of options that nobody has, and which ones were meant. */
#ifndef TCI_OPTION_NAMES_H
#define TCI_OPTION_NAMES_H

#include <stdbool.h>

/* The option that was meant by a name that is none: "ring_bytes" by "ringbytes" or "RING_BYTE".
 * NULL: none is near. */
const char *tci_option_names_nearest(const char *name);

/* The variable of the environment that was meant: "TC_DELIVERY" by "TC_DELIVRY". NULL: this one is
 * known, or none is near. */
const char *tci_option_names_meant(const char *variable);

/* Warns of each variable in the environment that something near was meant by, once in a process.
 * Others that begin with TC_ are somebody else's: the level `info` tells of them. */
void tci_option_names_check(void);

#endif
