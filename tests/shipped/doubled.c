/* A payload that is made on the source: each byte twice. A first byte of 0xff makes the making
 * fail. */
#include "check.h"

#include <tc/entry.h>

size_t doubled_payload_get_max_size(void *args, size_t args_size)
{
    (void)args;
    return 2 * args_size;
}

int doubled_payload_init(void *payload, size_t payload_size, void *args, size_t args_size)
{
    const uint8_t *from = args;
    uint8_t *to = payload;
    if (args_size > 0 && from[0] == 0xff)
        return -1;
    for (size_t i = 0; i < payload_size; i++)
        to[i] = from[i / 2];
    return 0;
}

void doubled_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint8_t *bytes = payload;
    for (size_t i = 0; i + 1 < size; i += 2)
        state->wrong += bytes[i] != bytes[i + 1];
    state->bytes += size;
    state->next++;
}
