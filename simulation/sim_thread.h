/* Declarations of the calls that sim_thread.c wraps. */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include "sim_system.h"

#include <pthread.h>

SIM_WRAPPED(int, pthread_create, pthread_t *thread_out, const pthread_attr_t *attributes,
            void *(*entry)(void *argument), void *argument)
SIM_WRAPPED(int, pthread_join, pthread_t thread, void **result_out)
SIM_WRAPPED(int, pthread_setname_np, pthread_t thread, const char *name)
SIM_WRAPPED(int, pthread_mutex_lock, pthread_mutex_t *mutex)
SIM_WRAPPED(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
SIM_WRAPPED(int, pthread_cond_signal, pthread_cond_t *condition)
SIM_WRAPPED(int, pthread_cond_broadcast, pthread_cond_t *condition)
SIM_WRAPPED(int, pthread_cond_wait, pthread_cond_t *condition, pthread_mutex_t *mutex)
SIM_WRAPPED(int, pthread_cond_timedwait, pthread_cond_t *condition, pthread_mutex_t *mutex,
            const struct timespec *until)
SIM_WRAPPED(int, tci_thread_id_own, void)
SIM_WRAPPED(uintptr_t, tci_thread_id_mark, void)

#endif
