/* Needs three missing symbols, and a weak one that may be absent. */
#include <stddef.h>

extern int tc_test_absent_function(int);
extern int tc_test_absent_variable;
extern void tc_test_absent_callback(void);
extern int tc_test_absent_weak(void) __attribute__((weak));

void missing_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(void (**)(void))target_args = tc_test_absent_callback;
    if (tc_test_absent_weak)
        tc_test_absent_weak();
    *(int *)target_args = tc_test_absent_function((int)payload_size) + tc_test_absent_variable;
}
