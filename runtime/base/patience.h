/* How long a call blocks: until its deadline, or until the program gives up. */
#ifndef TCI_PATIENCE_H
#define TCI_PATIENCE_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>

#define TCI_PATIENCE_ASK_NS (50 * TCI_NS_PER_MS) /* between two calls of `check` */

typedef struct tci_patience {
    uint64_t deadline_ns;     /* tci_clock_ns; UINT64_MAX: no deadline */
    int (*check)(void *user); /* returns nonzero when the program gives up; may be NULL */
    void *user;
    uint64_t ask_ns;  /* time of the next call of `check` */
    bool interrupted; /* the program gave up: over, whatever the deadline */
} tci_patience;

static inline tci_patience tci_patience_until(uint64_t deadline_ns)
{
    return (tci_patience){.deadline_ns = deadline_ns};
}

/* Returns whether the wait is over. Calls `check` when it is due. */
static inline bool tci_patience_is_over(tci_patience *p)
{
    uint64_t now_ns = tci_clock_ns();
    if (p->check != NULL && !p->interrupted && now_ns >= p->ask_ns) {
        p->ask_ns = now_ns + TCI_PATIENCE_ASK_NS;
        p->interrupted = p->check(p->user) != 0;
    }
    return p->interrupted || now_ns >= p->deadline_ns;
}

/* Returns the time of the next call of tci_patience_is_over: at the deadline, or when `check`
 * is due. */
static inline uint64_t tci_patience_next_ns(const tci_patience *p)
{
    if (p->interrupted)
        return 0;
    return p->check != NULL && p->ask_ns < p->deadline_ns ? p->ask_ns : p->deadline_ns;
}

/* Returns the end of a sentence about an event that did not happen. */
static inline const char *tci_patience_text(const tci_patience *p)
{
    return p->interrupted ? "before the program gave up" : "in time";
}

#endif
