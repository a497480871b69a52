/* Invariants of this library, checked only in debug builds and under sanitizers: a release has
 * no instruction for them. They come in pairs, where something is written and where it is read.
 * docs/invariants.md lists them by name, and layout.invariants compares it with the code.
 *
 * An invariant is about this process's own state. Bytes from outside, and memory that a peer
 * can write, are never asserted; those get a status and a text. */
#ifndef TCI_ASSERTION_H
#define TCI_ASSERTION_H

#include "base/sanitized.h"

#if !defined(NDEBUG) || TCI_SANITIZED
#define TCI_INVARIANTS 1

/* Both end the process, after a line on standard error. They are not declared to: the attacker
 * of tests/reliability, which breaks its own state on purpose, replaces them and goes on. */
void tci_assertion_failed(const char *name, const char *condition, const char *file, int line);
void tci_assertion_differs(const char *name, const char *condition, const char *file, int line,
                           const long long values[2], const char *relation);

#define TCI_INVARIANT(name, condition)                                                         \
    ((condition) ? (void)0 : tci_assertion_failed(#name, #condition, __FILE__, __LINE__))
/* The same for two numbers that a relation such as <= compares: the line has both. */
#define TCI_INVARIANT_IS(name, left, relation, right)                                          \
    ((left)relation(right)                                                                     \
         ? (void)0                                                                             \
         : tci_assertion_differs(#name, #left " " #relation " " #right, __FILE__, __LINE__,    \
                                 (const long long[2]){(long long)(left), (long long)(right)},  \
                                 #relation))

#else
#define TCI_INVARIANTS 0
#define TCI_INVARIANT(name, condition) ((void)sizeof((condition) ? 1 : 0))
#define TCI_INVARIANT_IS(name, left, relation, right)                                          \
    ((void)sizeof((left)relation(right) ? 1 : 0))
#endif

#endif
