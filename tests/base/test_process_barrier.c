#include "../support/test.h"
#include "base/process_barrier.h"

/* Where registering works, so does the barrier; and each context of a process registers. */
static void a_registered_process_has_the_barrier(void **state)
{
    for (int context = 0; context < 3; context++) {
        if (!tci_process_barrier_register())
            skip();
        assert_true(tci_process_barrier());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registered_process_has_the_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
