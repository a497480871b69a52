/* A function that does nothing, to compare with the method that does nothing. */
#include <tc/entry.h>

void null_call_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}
