/* Detects two threads inside one context at the same time, a mistake of the program, where the
 * option check_threads is on.
 *
 * Each checked call records its thread and its own name, and clears the thread when it returns.
 * A nested call of the same thread is part of the outer one. A thread that finds another thread
 * recorded reports both and ends the process. A program that passes a context from thread to
 * thread, by whatever means, is never inside twice.
 *
 * The check is usually off, and then costs tc_progress and tc_send nothing: the check closes
 * the shortest path of both, by TCI_CHECKED among the causes and by limits of 0
 * (tci_ep_set_fast). Relaxed order suffices, and hides no race from ThreadSanitizer. */
#ifndef TCI_SOLE_USER_H
#define TCI_SOLE_USER_H

#include "base/thread_id.h"
#include "core/core.h"

/* Ends the process, after a line that names two threads and their calls. */
_Noreturn void tci_sole_user_report(const tci_core *core, int inside, const char *call);

/* Records the calling thread. Returns false if there is nothing to leave: the check is off, or
 * this thread is inside already, by a call that ends later.
 *
 *   call   static; for the report */
static inline bool tci_sole_user_enter(tci_core *core, const char *call)
{
    if (!core->checks_users)
        return false;
    const int own = tci_thread_id_own();
    int before = 0;
    if (!__atomic_compare_exchange_n(&core->user, &before, own, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
        if (before != own)
            tci_sole_user_report(core, before, call);
        return false;
    }
    __atomic_store_n(&core->user_call, call, __ATOMIC_RELAXED);
    return true;
}

static inline void tci_sole_user_leave(tci_core *core, bool entered)
{
    if (entered)
        __atomic_store_n(&core->user, 0, __ATOMIC_RELAXED);
}

#endif
