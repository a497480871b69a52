#include "core/sole_user.h"

#include "base/logger.h"

#include <stdlib.h>

_Noreturn void tci_sole_user_report(const tci_core *core, int inside, const char *call)
{
    char name[TCI_THREAD_NAME_BYTES], own_name[TCI_THREAD_NAME_BYTES];
    const char *inside_call = __atomic_load_n(&core->user_call, __ATOMIC_RELAXED);
    const int own = tci_thread_id_own();
    tci_thread_id_name(inside, name);
    tci_thread_id_name(own, own_name);
    TC_LOG(
        TC_LOG_ERROR,
        "two threads use one context at the same time: thread %d (%s) is in %s, and thread %d "
        "(%s) has called %s; expected one thread at a time: give each thread a context of "
        "its own, or have it hold a lock during each call, tc_context_lock or the program's "
        "own (option check_threads)",
        inside, name, inside_call != NULL ? inside_call : "a call", own, own_name, call);
    abort();
}
