#include <stddef.h>
void bad_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
}
size_t bad_payload_bound(void *source_args, size_t size)
{
    (void)source_args;
    return size;
}
int bad_payload_init(void *payload, size_t room, void *source_args, size_t size)
{
    (void)payload;
    (void)room;
    (void)source_args;
    (void)size;
    return 0;
}
