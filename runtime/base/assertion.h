/* Invariants of this library, checked only in debug builds and under sanitizers: a release has
 * no instruction for them. They come in pairs, where something is made and where it is relied
 * on. Bytes from outside are never asserted; those get a status and a text. */
#ifndef TCI_ASSERTION_H
#define TCI_ASSERTION_H

#include "base/sanitized.h"

#if !defined(NDEBUG) || TCI_SANITIZED

/* Ends the process, after a line on standard error. */
_Noreturn void tci_assertion_failed(const char *condition, const char *file, int line);

#define TCI_ASSERT(condition)                                                                  \
    ((condition) ? (void)0 : tci_assertion_failed(#condition, __FILE__, __LINE__))

#else

#define TCI_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))

#endif
#endif
