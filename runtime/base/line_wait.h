/* Waiting in the processor until another one writes a line of memory: less power than a loop,
 * and the sibling of a shared core gets its units. */
#ifndef TCI_LINE_WAIT_H
#define TCI_LINE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this processor can. aarch64: WFE, which Linux ends at the latest every 0.1 ms by its
 * event stream. x86_64: UMWAIT, where CPUID has WAITPKG. */
bool tci_line_wait_supported(void);

/* Returns when the line of `word` was written, or some two microseconds are over (aarch64: at
 * the next event), or for no reason; at once when *word is `awaited` already. Without support
 * it pauses for a moment. */
void tci_line_wait(const uint64_t *word, uint64_t awaited);

#endif
