#include <tc/entry.h>

#ifdef __x86_64__
TC_PAYLOAD_READONLY(bad);
#endif

void bad_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(size_t *)target_args += payload_size;
}
