/* Sleeping on a word of memory until another thread of this process changes it. */
#ifndef TCI_FUTEX_H
#define TCI_FUTEX_H

#include "base/clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns when the word was woken or is not `seen`, at the deadline of tci_clock_ns, or
 * spuriously. */
static inline void tci_futex_wait(const uint32_t *word, uint32_t seen, uint64_t deadline_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(deadline_ns / TCI_NS_PER_S),
                                .tv_nsec = (long)(deadline_ns % TCI_NS_PER_S)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, seen,
                  deadline_ns != UINT64_MAX ? &at : NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

/* Wakes all threads that sleep on the word, if it is still memory. */
static inline void tci_futex_wake(const uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX, NULL, NULL, 0);
}

#endif
