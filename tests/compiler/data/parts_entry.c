#include "parts.h"

#include <string.h>

static const char unused_table[] = "never looked at";

const char *never_called(void)
{
    return unused_table;
}

void parts_main(void *payload, size_t size, void *target_args)
{
    uint64_t *out = target_args;
    out[0] = parts_sum(payload, size);
    out[1] = ++parts_calls;
}

size_t parts_payload_get_max_size(void *args, size_t size)
{
    (void)args;
    return size;
}

int parts_payload_init(void *payload, size_t room, void *args, size_t size)
{
    if (size > room)
        return 1;
    memcpy(payload, args, size);
    return 0;
}
