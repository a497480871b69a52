/* Waiting in the processor until another one writes a line of memory: less power than a loop,
 * and the sibling of a shared core gets its units. */
#ifndef TCI_LINE_WAIT_H
#define TCI_LINE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* The instruction by which this processor can: "umwait" (x86_64, where CPUID has WAITPKG),
 * "mwaitx" (where it has MONITORX), "wfet" or "wfe" (aarch64). NULL: it has none, or hides it, as
 * virtual machines often do. */
const char *tci_line_wait_name(void);

/* Whether a wait ends when it is to. "wfe" has no clock: the kernel's event stream ends it, every
 * 0.1 ms. */
bool tci_line_wait_is_bounded(void);

/* Returns when the line of `word` was written, or bound_ns are over (about: ticks are taken for a
 * third of a nanosecond on x86_64), or for no reason; at once when *word is `awaited` already.
 * Without such an instruction it pauses for a moment. */
void tci_line_wait(const uint64_t *word, uint64_t awaited, uint64_t bound_ns);

#endif
