/* Threads and locks of nodes: a thread is a fiber of its node. A lock that another fiber has is
 * tried again after a while, and so is a condition: POSIX allows a wait to end early. */
#include "sim_thread.h"

#include "sim_world.h"

#include <errno.h>

#define LOCK_LOOK_NS 1000u
#define CONDITION_LOOK_NS 20000u
#define JOIN_LOOK_NS 10000u
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
    while (!fiber->ended)
        sim_world_sleep(JOIN_LOOK_NS);
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
        sim_world_sleep(LOCK_LOOK_NS);
    return errnum;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (sim_world_node() == NULL)
        return __real_pthread_cond_wait(condition, mutex);
    (void)pthread_mutex_unlock(mutex);
    sim_world_sleep(CONDITION_LOOK_NS);
    return __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    tc_sim_node *node = sim_world_node();
    if (node == NULL)
        return __real_pthread_cond_timedwait(condition, mutex, until);
    if ((uint64_t)until->tv_sec * NS_PER_S + (uint64_t)until->tv_nsec <= node->local_ns)
        return ETIMEDOUT;
    return __wrap_pthread_cond_wait(condition, mutex);
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
