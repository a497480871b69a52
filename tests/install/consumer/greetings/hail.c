#include <stdio.h>
#include <tc/entry.h>

void hail_main(void *payload, size_t payload_size, void *target_args)
{
    (void)target_args;
    printf("hail, %.*s\n", (int)payload_size, (const char *)payload);
}
