/* Unknown names of options, and the known names nearest to them. */
#ifndef TCI_OPTION_NAMES_H
#define TCI_OPTION_NAMES_H

#include <stdbool.h>

/* Returns the option nearest to an unknown name: "ring_bytes" for "ringbytes" or "RING_BYTE".
 * NULL: no option is near. */
const char *tci_option_names_nearest(const char *name);

/* Returns the environment variable nearest to an unknown one: "TC_DELIVERY" for "TC_DELIVRY".
 * NULL: `variable` is known, or no variable is near. */
const char *tci_option_names_meant(const char *variable);

/* Warns of each unknown environment variable that is near to a known one, once in a process.
 * Other variables that begin with TC_ belong to other programs and are logged with the level
 * `info`. */
void tci_option_names_check(void);

#endif
