/* Two threads in one context at a time, found where that costs nothing: in builds with
 * assertions, in the calls that programs make most. It is a mistake of the program. */
#ifndef TCI_SOLE_USER_H
#define TCI_SOLE_USER_H

#include "base/hand_lock.h"
#include "core/core.h"

#include <stdlib.h>

#ifdef NDEBUG

static inline bool tci_sole_user_enter(tci_core *core)
{
    (void)core;
    return false;
}

static inline void tci_sole_user_leave(tci_core *core, bool entered)
{
    (void)core;
    (void)entered;
}

#else

/* False: this thread is inside already, by a call that ends later. */
static inline bool tci_sole_user_enter(tci_core *core)
{
    const uintptr_t own = tci_hand_lock_thread();
    uintptr_t before = 0;
    if (__atomic_compare_exchange_n(&core->user, &before, own, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        return true;
    if (before == own)
        return false;
    TC_LOG(TC_LOG_ERROR,
           "two threads use one context at the same time: each has to hold a lock "
           "meanwhile, tc_context_lock or the program's own");
    abort();
}

static inline void tci_sole_user_leave(tci_core *core, bool entered)
{
    if (entered)
        __atomic_store_n(&core->user, 0, __ATOMIC_RELAXED);
}

#endif
#endif
