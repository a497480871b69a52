/* Made at the source of a few numbers, checked word by word at the target. */
#include "gather.h"

#include <stddef.h>

size_t gather_payload_bound(void *source_args, size_t size)
{
    const gather_args *args = source_args;
    return size + args->words * sizeof(uint64_t) + 100; /* more than is used */
}

int gather_payload_init(void *source_args, size_t size, void *payload, size_t *payload_size)
{
    const gather_args *args = source_args;
    gather_args *out = payload;
    uint64_t *words = (uint64_t *)(out + 1);
    if (size != sizeof *args || args->number == 0)
        return 1;
    *out = *args;
    for (uint64_t i = 0; i < args->words; i++)
        words[i] = gather_word(args, i);
    *payload_size = sizeof *out + args->words * sizeof *words;
    return 0;
}

void gather_main(void *payload, size_t payload_size, void *target_args)
{
    gather_state *state = target_args;
    const gather_args *args = payload;
    const uint64_t *words = (const uint64_t *)(args + 1);
    int torn = payload_size != sizeof *args + args->words * sizeof *words ||
               args->sender >= GATHER_SENDERS;
    for (uint64_t i = 0; !torn && i < args->words; i++)
        torn = words[i] != gather_word(args, i);
    state->run++;
    if (torn) {
        state->torn++;
        return;
    }
    if (args->number != state->next[args->sender] + 1)
        state->out_of_order++;
    state->next[args->sender] = args->number;
}
