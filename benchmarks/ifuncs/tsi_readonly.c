/* tsi with read-only payloads: its cost beside one without that request. */
#include <stddef.h>
#include <stdint.h>
#include <tc/entry.h>

TC_PAYLOAD_READONLY(tsi_readonly);

void tsi_readonly_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    ++*(uint64_t *)target_args;
}
