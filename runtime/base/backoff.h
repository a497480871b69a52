/* Waiting in a loop whose next look may find something, and that has nothing to sleep on: a few
 * looks at once, then others get the processor, then naps. Who only looks keeps the processor
 * from the very process that it waits for. */
#ifndef TCI_BACKOFF_H
#define TCI_BACKOFF_H

#include <stdint.h>

typedef struct tci_backoff {
    unsigned turns;  /* zero at first */
    uint64_t nap_ns; /* zero at first */
} tci_backoff;

/* Between two looks. Never sleeps beyond the deadline. */
void tci_backoff_pause(tci_backoff *backoff, uint64_t deadline_ns);

#endif
