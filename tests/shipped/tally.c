/* Checks that each source's messages come in order and whole, whatever comes in between from
 * others. */
#include "tally.h"

#include "check.h"

#include <tc/entry.h>

void tally_main(void *payload, size_t size, void *target_args)
{
    tally_state *state = target_args;
    if (state->note != NULL)
        state->note(tc_self_endpoint());
    const tally_message *message = payload;
    const uint8_t *content = (const uint8_t *)(message + 1);
    if (size < sizeof *message || message->source >= TALLY_SOURCES) {
        state->wrong++;
        return;
    }
    size_t content_size = size - sizeof *message;
    int right = message->n == state->next[message->source];
    for (size_t i = 0; i < content_size; i++)
        right &= content[i] == check_byte(message->n + message->source, content_size, i);
    state->wrong += !right;
    state->next[message->source]++;
}
