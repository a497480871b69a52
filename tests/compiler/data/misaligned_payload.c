#include <stddef.h>

extern const size_t bad_payload_alignment;
const size_t bad_payload_alignment = 48;

void bad_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(size_t *)target_args += payload_size;
}
