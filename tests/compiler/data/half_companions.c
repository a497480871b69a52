#include <stddef.h>
void bad_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
}
int bad_payload_init(void *payload, size_t room, void *args, size_t size)
{
    (void)payload;
    (void)room;
    (void)args;
    return (int)size;
}
