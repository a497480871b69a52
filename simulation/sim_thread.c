/* Threads and locks of nodes: a thread is a fiber of its node. One that waits for a lock or a
 * condition goes on when another fiber unlocks or signals that. */
#include "sim_thread.h"

#include "sim_step.h"
#include "sim_word.h"

#include <errno.h>

#define NS_PER_S 1000000000ull

int __wrap_pthread_create(pthread_t *thread_out, const pthread_attr_t *attributes,
                          void *(*entry)(void *argument), void *argument)
{
    tc_sim_node *node = sim_world_node();
    if (node == NULL)
        return __real_pthread_create(thread_out, attributes, entry, argument);
    sim_fiber *fiber = sim_world_fails() ? NULL
                                         : sim_world_spawn(node, entry, argument,
                                                           node->world->params.stack_bytes);
    if (fiber == NULL)
        return EAGAIN;
    *thread_out = (pthread_t)(uintptr_t)fiber;
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **result_out)
{
    if (sim_world_node() == NULL)
        return __real_pthread_join(thread, result_out);
    sim_fiber *fiber = (sim_fiber *)(uintptr_t)thread; // NOLINT: as pthread_create gave it
    fiber->joiner = sim_world_running();
    while (!fiber->ended)
        (void)sim_world_wait(UINT64_MAX);
    if (result_out != NULL)
        *result_out = fiber->result;
    sim_world_free_fiber(fiber);
    return 0;
}

int __wrap_pthread_setname_np(pthread_t thread, const char *name)
{
    return sim_world_node() != NULL ? 0 : __real_pthread_setname_np(thread, name);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (sim_world_node() == NULL)
        return __real_pthread_mutex_lock(mutex);
    int errnum;
    while ((errnum = pthread_mutex_trylock(mutex)) == EBUSY)
        (void)sim_word_wait(mutex, UINT64_MAX);
    sim_step_note_lock(mutex, true);
    return errnum;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    sim_step_note_lock(mutex, false);
    const int errnum = __real_pthread_mutex_unlock(mutex);
    sim_word_wake(mutex, SIM_WORD_ALL);
    return errnum;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    sim_word_wake(condition, 1);
    return __real_pthread_cond_signal(condition);
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition)
{
    sim_word_wake(condition, SIM_WORD_ALL);
    return __real_pthread_cond_broadcast(condition);
}

/* Nothing runs between the unlock and the wait. */
static int wait_for(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until_ns)
{
    (void)__wrap_pthread_mutex_unlock(mutex);
    const bool in_time = sim_word_wait(condition, until_ns);
    const int errnum = __wrap_pthread_mutex_lock(mutex);
    return errnum != 0 || in_time ? errnum : ETIMEDOUT;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (sim_world_node() == NULL)
        return __real_pthread_cond_wait(condition, mutex);
    return wait_for(condition, mutex, UINT64_MAX);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    if (sim_world_node() == NULL)
        return __real_pthread_cond_timedwait(condition, mutex, until);
    return wait_for(condition, mutex,
                    (uint64_t)until->tv_sec * NS_PER_S + (uint64_t)until->tv_nsec);
}

/* The library names threads by these two; fibers of one thread differ by them, too. */
int __wrap_tci_thread_id_own(void)
{
    const sim_fiber *fiber = sim_world_running();
    return fiber != NULL ? (int)fiber->number : __real_tci_thread_id_own();
}

uintptr_t __wrap_tci_thread_id_mark(void)
{
    sim_fiber *fiber = sim_world_running();
    return fiber != NULL ? (uintptr_t)fiber : __real_tci_thread_id_mark();
}
