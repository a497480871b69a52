#include <tc/entry.h>

TC_PAYLOAD_READONLY(readonly_payload);

void readonly_payload_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(size_t *)target_args += payload_size;
}
