/* Needs a symbol that no process has, and so can be registered nowhere. */
#include <stddef.h>

void tc_test_that_nobody_defines(void);

void unheard_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    (void)target_args;
    tc_test_that_nobody_defines();
}
