/* Calls a symbol that no target has. */
#include <tc/entry.h>

void nobody_has_this(void);

void needy_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
    nobody_has_this();
}
