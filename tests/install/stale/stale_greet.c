#include "greeting.h"

#include <stdio.h>
#include <tc/entry.h>

void greet_main(void *payload, size_t payload_size, void *target_args)
{
    const struct greeting *greeting = (const struct greeting *)payload;
    (void)target_args;
    printf("%d in %zu bytes of %zu\n", greeting->number, sizeof *greeting, payload_size);
}
