/* The table behind Indirect Put: a key leads to the offset of a spot, and the spot holds the
 * data put there last. Shared by the ifunc and its checks. */
#ifndef TC_IPUT_H
#define TC_IPUT_H

#include <stdint.h>

#define IPUT_PLACES_LOG2 8u
#define IPUT_PLACES (1u << IPUT_PLACES_LOG2)
#define IPUT_SPOTS 64u /* as many as there may be keys: a quarter of the slots */

typedef struct iput_place {
    uint64_t key;
    uint64_t offset; /* of the key's spot, plus one; 0: the slot is free */
} iput_place;

/* Behind target_args. */
typedef struct iput_target {
    uint64_t calls;
    const void *payload;  /* of the newest message: where it lay */
    uint64_t refused;     /* messages without a key, too long for a spot, or one key too many */
    uint64_t spots_taken; /* the next key's spot */
    uint64_t spot_bytes;
    iput_place places[IPUT_PLACES];
    _Alignas(64) unsigned char spots[];
} iput_target;

#endif
