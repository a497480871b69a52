/* The function that the source sends: answers the sum of the payload's bytes. */
#include <stdint.h>
#include <tc/entry.h>

void onefile_sum_main(void *payload, size_t payload_size, void *target_args)
{
    const uint8_t *bytes = payload;
    uint64_t sum = 0;
    for (size_t i = 0; i < payload_size; i++)
        sum += bytes[i];
    ++*(unsigned long *)target_args;
    (void)tc_reply(&sum, sizeof sum);
}
