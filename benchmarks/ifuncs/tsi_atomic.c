/* The same as tsi, by one function at a time for each counter. */
#include <stddef.h>
#include <stdint.h>
#include <tc/task_sync.h>

TC_THREADED(tsi_atomic)(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    if (tc_task_enter((uint64_t)(uintptr_t)target_args) == TC_OK)
        ++*(uint64_t *)target_args;
}
