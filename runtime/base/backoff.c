#include "backoff.h"

#include "base/clock.h"

#include <sched.h>
#include <time.h>

#define LOOKS 20u
#define YIELDS 20u
#define NAP_FIRST_NS 20000ull
#define NAP_LAST_NS 1000000ull

static uint64_t next_nap(tci_backoff *backoff)
{
    uint64_t nap_ns = backoff->nap_ns > 0 ? backoff->nap_ns : NAP_FIRST_NS;
    backoff->nap_ns = 2 * nap_ns < NAP_LAST_NS ? 2 * nap_ns : NAP_LAST_NS;
    return nap_ns;
}

void tci_backoff_pause(tci_backoff *backoff, uint64_t deadline_ns)
{
    if (backoff->turns < LOOKS + YIELDS) {
        if (backoff->turns++ >= LOOKS)
            (void)sched_yield();
        return;
    }
    uint64_t nap_ns = next_nap(backoff);
    uint64_t left_ns = tci_deadline_left_ns(deadline_ns);
    const struct timespec nap = {.tv_nsec = (long)(nap_ns < left_ns ? nap_ns : left_ns)};
    (void)nanosleep(&nap, NULL);
}
