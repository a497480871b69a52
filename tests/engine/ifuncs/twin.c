/* Built twice, with other data behind the same names. */
#include <stddef.h>

int twin_state = TWIN_VALUE;
int twin_helper(int x);

__attribute__((noinline)) int twin_helper(int x)
{
    twin_state += x;
    return twin_state;
}

void twin_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(int *)target_args = twin_helper((int)payload_size);
}
