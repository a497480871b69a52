/* The operations of the module tasks. */
#ifndef TCI_TASKS_H
#define TCI_TASKS_H

#include "modules/tasks/tasks_state.h"

void tci_tasks_init(tci_tasks *tasks);
/* There are no tasks any more. */
void tci_tasks_fini(tci_tasks *tasks);

/* See tc_task_sleep. Called where `may_wait` of the operations is true. */
TC_MUST_CHECK tc_status tci_tasks_sleep(tci_core *core, uint64_t ns);

#endif
