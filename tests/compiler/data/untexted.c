#include <stddef.h>

const int bad_payload_prototype = 7;

void bad_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(size_t *)target_args += payload_size;
}
