/* The operations of the module tasks. */
#ifndef TCI_TASKS_H
#define TCI_TASKS_H

#include "modules/tasks/tasks_state.h"

void tci_tasks_init(tci_tasks *tasks);
/* There are no tasks any more. */
void tci_tasks_fini(tci_tasks *tasks);

/* See tc_task_sleep. This and the next two are called where `may_wait` of the operations is
 * true. */
TC_MUST_CHECK tc_status tci_tasks_sleep(tci_core *core, uint64_t ns);
/* Waits for an object, behind the tasks that do, for that long at most; hands `lock` over, if
 * it is not NULL, when the task is in the queue. Returns the status that the task was
 * woken with. TC_E_TIMEOUT. Otherwise see tc_task_sleep; `lock` is handed over then, too. */
TC_MUST_CHECK tc_status tci_tasks_wait_for(tci_core *core, tci_task_object_id id,
                                           uint64_t timeout_ns, tci_task_object *lock);
/* Returns the status with which no wait of the running function begins, or TC_OK. */
tc_status tci_tasks_why_not(const tci_tasks *tasks);

#endif
