/* Claims that somebody else's variable is within reach of 32-bit offsets. */
#include <stddef.h>

extern int tc_test_variable __attribute__((visibility("hidden")));

void far_data_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    tc_test_variable += (int)payload_size;
    *(int *)target_args = tc_test_variable;
}
