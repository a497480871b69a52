/* Reads its payload, shows it to the test, and changes it on request. With the name of an
 * alignment it asks for that, or for payloads that are read-only. */
#include "peruse.h"

#include <tc/entry.h>

#ifdef ALIGNMENT
TC_PAYLOAD_ALIGN(NAME, ALIGNMENT);
#endif
#ifdef READONLY
TC_PAYLOAD_READONLY(NAME);
#endif

#define PASTE(a, b) a##b
#define MAIN_OF(name) PASTE(name, _main)

void MAIN_OF(NAME)(void *payload, size_t size, void *target_args);

void MAIN_OF(NAME)(void *payload, size_t size, void *target_args)
{
    peruse_state *state = target_args;
    const uint8_t *bytes = payload;
    int whole = 1;
    for (size_t i = 0; i < size; i++)
        whole &= bytes[i] == peruse_byte(size, i);
    state->wrong += !whole;
    state->calls++;
    if (state->seen != NULL && size > 0)
        state->seen(state, payload, size);
    if (state->writes && size > 0)
        ((volatile uint8_t *)payload)[size - 1] = 0;
}
