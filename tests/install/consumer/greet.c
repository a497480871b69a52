/* Prints a message's origin, and shows that a library of its own list was linked. */
#include <math.h>
#include <stdio.h>
#include <tc/entry.h>

void greet_main(void *payload, size_t payload_size, void *target_args)
{
    (void)target_args;
    printf("%.*s: %.1f\n", (int)payload_size, (const char *)payload,
           cbrt((double)payload_size));
}
