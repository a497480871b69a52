/* The same as tsi, declared as a function that may wait. */
#include <stddef.h>
#include <stdint.h>
#include <tc/task.h>

TC_THREADED(tsi_threaded)(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    ++*(uint64_t *)target_args;
}
