#include <stddef.h>

extern int tc_test_absent_weak(void) __attribute__((weak));

void weak_reference_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(int *)target_args = tc_test_absent_weak ? tc_test_absent_weak() : 42;
}
