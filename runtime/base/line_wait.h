/* Waiting in the processor until another one writes a line of memory. This takes less power
 * than a loop, and the sibling on a shared core gets its units. */
#ifndef TCI_LINE_WAIT_H
#define TCI_LINE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of this processor's wait instruction: "umwait" (x86_64, where CPUID has
 * WAITPKG), "mwaitx" (where it has MONITORX), "wfet" or "wfe" (aarch64). NULL: it has no such
 * instruction, or hides it, as virtual machines often do. */
const char *tci_line_wait_name(void);

/* Returns whether a wait ends at its bound. "wfe" has no clock: the kernel's event stream ends
 * it, every 0.1 ms. */
bool tci_line_wait_is_bounded(void);

/* Returns when the line of `word` was written, when bound_ns are over (approximately: on x86_64
 * a tick counts as a third of a nanosecond), or spuriously; at once when *word is already
 * `awaited`. Without such an instruction it pauses for a moment. */
void tci_line_wait(const uint64_t *word, uint64_t awaited, uint64_t bound_ns);

#endif
