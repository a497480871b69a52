/* Checks, where it runs, that every message came once, whole, unchanged and in its turn. */
#include "integrity_pattern.h"

#include <stdbool.h>

static bool header_is_right(const uint8_t *payload, uint32_t size, uint64_t sequence)
{
    uint8_t header[INTEGRITY_HEADER_BYTES];
    memcpy(header, &sequence, sizeof sequence);
    memcpy(header + sizeof sequence, &size, sizeof size);
    return memcmp(payload, header, size < sizeof header ? size : sizeof header) == 0;
}

static bool body_is_right(const uint8_t *payload, uint32_t size, uint64_t sequence)
{
    uint64_t key = integrity_key(sequence), wrong = 0, word, found;
    uint32_t at = INTEGRITY_HEADER_BYTES;
    uint64_t i = 0;
    for (; at + sizeof word <= size; at += (uint32_t)sizeof word) {
        memcpy(&found, payload + at, sizeof found);
        wrong |= found ^ integrity_word(key, i++);
    }
    word = integrity_word(key, i);
    return wrong == 0 && (at >= size || memcmp(payload + at, &word, size - at) == 0);
}

/* The message's own number; the due number when it is too short for one. */
static uint64_t claimed_sequence(const integrity_target *target, const uint8_t *payload,
                                 size_t size)
{
    uint64_t sequence = target->expected;
    if (size >= sizeof sequence)
        memcpy(&sequence, payload, sizeof sequence);
    return sequence;
}

static bool content_is_right(const integrity_target *target, const uint8_t *payload,
                             size_t size, uint64_t sequence)
{
    uint32_t due = integrity_size(&target->range, sequence);
    return size == due && header_is_right(payload, due, sequence) &&
           body_is_right(payload, due, sequence);
}

static bool mark_seen(integrity_target *target, uint64_t sequence)
{
    uint8_t bit = (uint8_t)(1u << sequence % 8);
    bool before = (target->seen[sequence / 8] & bit) != 0;
    target->seen[sequence / 8] |= bit;
    return before;
}

void integrity_main(void *payload, size_t size, void *target_args)
{
    integrity_target *target = target_args;
    uint64_t errors = target->torn + target->repeated + target->misplaced;
    uint64_t due = target->expected;
    uint64_t sequence = claimed_sequence(target, payload, size);
    target->run++;
    target->bytes += size;
    target->expected++;
    if (sequence >= target->count || !content_is_right(target, payload, size, sequence)) {
        target->torn++;
    } else {
        target->misplaced += sequence != due;
        target->repeated += mark_seen(target, sequence);
        target->expected = sequence + 1; /* after a gap, go on from here */
    }
    if (errors == 0 && target->torn + target->repeated + target->misplaced != 0)
        target->first_bad = due;
}
