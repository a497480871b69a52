#include <stddef.h>
#include <stdlib.h>

static int ready;

__attribute__((constructor)) static void get_ready(void)
{
    ready = getenv("HOME") != NULL; /* nothing that the compiler could do beforehand */
}

void constructor_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(int *)target_args = ready;
}
