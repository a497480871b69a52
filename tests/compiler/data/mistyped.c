#include <tc/entry.h>

TC_PROTOTYPE(bed, "()");
TC_PROTOTYPE(bad, "(double)");

void bad_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(size_t *)target_args += payload_size;
}
