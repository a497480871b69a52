#include <stddef.h>
static __thread int calls;
extern __thread int elsewhere;

void bad_main(void *payload, size_t size, void *target_args)
{
    calls += (int)size;
    *(int **)target_args = &calls;
    elsewhere++; /* line 9 */
    (void)payload;
}
