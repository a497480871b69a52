/* The public functions of the module tasks in a build without it: such functions run as others
 * do. */
#include "context/absent.h"

#include <tc/task.h>

void tc_task_run(void (*body)(void *payload, size_t payload_size, void *target_args),
                 void *(*exceptions)(void), void *payload, size_t payload_size,
                 void *target_args)
{
    body(payload, payload_size, target_args);
}

TCI_ABSENT_VALUE(TC_E_BUSY, tc_status, tc_task_sleep, uint64_t ns)
TCI_ABSENT_VALUE(0, size_t, tc_task_count, const tc_context *ctx)
