/* Monotonic time in nanoseconds, and deadlines made of it. */
#ifndef TCI_CLOCK_H
#define TCI_CLOCK_H

#include <stdint.h>
#include <time.h>

#define TCI_NS_PER_MS 1000000ull
#define TCI_NS_PER_S 1000000000ull

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

static inline uint64_t tci_deadline_left_ns(uint64_t deadline_ns)
{
    uint64_t now = tci_clock_ns();
    return now >= deadline_ns ? 0 : deadline_ns - now;
}

#endif
