/* Calls of functions that only the host's own table knows, one of which calls back. */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t (*callback)(void *user, uint64_t value);

extern uint64_t tc_test_apply(callback function, void *user, uint64_t value);
extern int tc_test_variable;

static uint64_t add_and_double(void *user, uint64_t value)
{
    return 2 * (value + *(uint64_t *)user);
}

void calls_host_main(void *payload, size_t payload_size, void *target_args)
{
    tc_test_variable += (int)payload_size;
    *(uint64_t *)target_args = tc_test_apply(add_and_double, payload, 10);
}
