/* Brings the word that was sought to the client. */
#include <stddef.h>
#include <stdint.h>

size_t found_payload_bound(void *source_args, size_t size)
{
    (void)source_args;
    return size;
}

int found_payload_init(void *source_args, size_t size, void *payload, size_t *payload_size)
{
    (void)payload_size;
    *(uint64_t *)payload = *(const uint64_t *)source_args;
    return size != sizeof(uint64_t);
}

void found_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload_size;
    *(uint64_t *)target_args = *(const uint64_t *)payload;
}
