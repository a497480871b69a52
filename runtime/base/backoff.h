/* Waiting in a polling loop that has no event to sleep on: a few polls at once, then the
 * processor is yielded, then naps. A loop that only polls keeps the processor from the very
 * process that it waits for. */
#ifndef TCI_BACKOFF_H
#define TCI_BACKOFF_H

#include <stdint.h>

typedef struct tci_backoff {
    unsigned turns;  /* zero at first */
    uint64_t nap_ns; /* zero at first */
} tci_backoff;

/* Waits between two polls. Never sleeps beyond the deadline. */
void tci_backoff_pause(tci_backoff *backoff, uint64_t deadline_ns);

#endif
