/* Indirect Put: the payload is a key and data; the data go to the spot that a hash table at the
 * target has, or now finds, for that key. After Two-Chains, VI-B. */
#include "iput.h"

#include <stddef.h>
#include <string.h>

/* The key's slot; a free one for a new key; NULL without a free one. */
static iput_place *probe(iput_target *target, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15ull >> (64 - IPUT_PLACES_LOG2);
    for (uint64_t step = 0; step < IPUT_PLACES; step++) {
        iput_place *place = &target->places[(hash + step) % IPUT_PLACES];
        if (place->offset == 0 || place->key == key)
            return place;
    }
    return NULL;
}

static unsigned char *find_spot(iput_target *target, uint64_t key)
{
    iput_place *place = probe(target, key);
    if (place == NULL)
        return NULL;
    if (place->offset == 0) {
        if (target->spots_taken == IPUT_SPOTS)
            return NULL;
        place->key = key;
        place->offset = target->spots_taken++ * target->spot_bytes + 1;
    }
    return target->spots + place->offset - 1;
}

void iput_main(void *payload, size_t size, void *target_args)
{
    iput_target *target = target_args;
    uint64_t key;
    unsigned char *spot = NULL;
    target->calls++;
    target->payload = payload;
    if (size >= sizeof key && size - sizeof key <= target->spot_bytes) {
        memcpy(&key, payload, sizeof key);
        spot = find_spot(target, key);
    }
    if (spot == NULL)
        target->refused++;
    else
        memcpy(spot, (const unsigned char *)payload + sizeof key, size - sizeof key);
}
