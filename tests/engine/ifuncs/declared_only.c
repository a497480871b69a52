#include <stddef.h>

void declared_only_main(void *payload, size_t payload_size, void *target_args);

void other(void)
{
    declared_only_main(NULL, 0, NULL);
}
