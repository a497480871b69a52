/* The public functions of the module tasks in a build without it: such functions run as others
 * do. */
#include "context/absent.h"

#include <tc/task_sync.h>

void tc_task_run(void (*body)(void *payload, size_t payload_size, void *target_args),
                 void *(*exceptions)(void), void *payload, size_t payload_size,
                 void *target_args)
{
    body(payload, payload_size, target_args);
}

TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_sleep, uint64_t ns)
TCI_ABSENT_VALUE(0, size_t, tc_task_count, const tc_context *ctx)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_lock_acquire, tc_task_lock *lock, uint64_t ns)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_lock_release, tc_task_lock *lock)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_condition_wait, tc_task_condition *condition,
                 tc_task_lock *lock, uint64_t ns)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_condition_signal, tc_task_condition *condition,
                 uint64_t count)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_semaphore_acquire, tc_task_semaphore *semaphore,
                 uint64_t ns)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_semaphore_release, tc_task_semaphore *semaphore,
                 uint64_t units)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_enter, uint64_t object)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_leave, uint64_t object)
TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_forget, tc_context *context, uint64_t object)
