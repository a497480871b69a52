#include <stddef.h>

static _Thread_local int per_thread;

void thread_local_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    per_thread += (int)payload_size;
    *(int **)target_args = &per_thread;
}
