#include <stddef.h>
void bad_main(void *payload, size_t size, void *target_args);
void other(void)
{
    bad_main(0, 0, 0);
}
