/* tsi with payloads that begin at multiples of 64: its cost beside one without that request. */
#include <stddef.h>
#include <stdint.h>
#include <tc/entry.h>

TC_PAYLOAD_ALIGN(tsi_aligned, 64);

void tsi_aligned_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    ++*(uint64_t *)target_args;
}
