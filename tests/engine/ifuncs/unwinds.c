/* Calls its host, which looks up the stack through this function. */
#include <stddef.h>
#include <stdint.h>

extern uint64_t tc_test_frames(void);

void unwinds_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(uint64_t *)target_args = tc_test_frames();
}
