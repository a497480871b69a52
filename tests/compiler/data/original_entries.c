#include <stddef.h>
#include <string.h>
void original_entries_main(void *payload, size_t size, void *target_args)
{
    memcpy(target_args, payload, size);
}
size_t original_entries_payload_bound(void *source_args, size_t size)
{
    (void)source_args;
    return size + 8;
}
int original_entries_payload_init(void *source_args, size_t size, void *payload,
                                  size_t *payload_size)
{
    memcpy(payload, source_args, size);
    *payload_size = size;
    return 0;
}
