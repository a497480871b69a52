#include <stddef.h>

extern _Thread_local int their_thread_local;

void extern_thread_local_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(int *)target_args = their_thread_local;
}
