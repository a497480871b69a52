/* The same as tsi, after it has let others run once. */
#include <stddef.h>
#include <stdint.h>
#include <tc/task.h>

TC_THREADED(tsi_task)(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    if (tc_task_sleep(0) == TC_OK)
        ++*(uint64_t *)target_args;
}
