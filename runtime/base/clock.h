/* Monotonic time in nanoseconds, and deadlines made of it. */
#ifndef TCI_CLOCK_H
#define TCI_CLOCK_H

#include <stdint.h>
#include <time.h>

#define TCI_NS_PER_MS 1000000ull
#define TCI_NS_PER_S 1000000000ull
/* The coarse clock is behind the other one by a tick of the kernel at most, at 100 Hz. */
#define TCI_CLOCK_TICK_MAX_NS (10 * TCI_NS_PER_MS)

static inline uint64_t tci_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TCI_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Saturates, so that UINT64_MAX means "for ever". */
static inline uint64_t tci_deadline_from(uint64_t now_ns, uint64_t timeout_ns)
{
    return timeout_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + timeout_ns;
}

static inline uint64_t tci_deadline_after(uint64_t timeout_ns)
{
    return tci_deadline_from(tci_clock_ns(), timeout_ns);
}

/* The same, late by up to 20 ms for timeouts of a second or more. The clock that ticks in
 * milliseconds is read in a fifth of the time that the other one takes, which is a tenth of
 * that of a call. */
static inline uint64_t tci_deadline_about(uint64_t timeout_ns)
{
    struct timespec now;
    if (timeout_ns < TCI_NS_PER_S)
        return tci_deadline_after(timeout_ns);
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return tci_deadline_from((uint64_t)now.tv_sec * TCI_NS_PER_S + (uint64_t)now.tv_nsec +
                                 TCI_CLOCK_TICK_MAX_NS,
                             timeout_ns);
}

static inline uint64_t tci_deadline_left_ns(uint64_t deadline_ns)
{
    uint64_t now = tci_clock_ns();
    return now >= deadline_ns ? 0 : deadline_ns - now;
}

#endif
