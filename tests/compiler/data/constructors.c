#include <stddef.h>
#include <stdlib.h>
static void *table;
static __attribute__((constructor)) void at_start(void)
{
    table = malloc(16);
}
static __attribute__((destructor)) void at_end(void)
{
    free(table);
}
void bad_main(void *payload, size_t size, void *target_args)
{
    *(void **)target_args = table;
    (void)payload;
    (void)size;
}
