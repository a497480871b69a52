#include "../support/test.h"
#include "base/process_barrier.h"

/* Where registering works, so does the barrier; and each context of a process registers. */
TEST(a_registered_process_has_the_barrier)
{
    for (int context = 0; context < 3; context++) {
        if (!tci_process_barrier_register())
            skip();
        assert_true(tci_process_barrier());
    }
}
