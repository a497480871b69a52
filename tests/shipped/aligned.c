/* Asks for an alignment and checks that it has it: by the address, and by loads and stores of
 * vectors that end the process where they are not aligned. Compiled once for each alignment. */
#include "aligned.h"

#include <tc/entry.h>

#define GLUE(a, b) a##b
#define NAMED(name, suffix) GLUE(name, suffix)

#ifdef UNCHECKED /* refused by the macro */
const size_t NAMED(NAME, _payload_alignment) = BYTES;
#else
TC_PAYLOAD_ALIGN(NAME, BYTES);
#endif

#ifdef __x86_64__
#include <immintrin.h>

__attribute__((target("avx512f"))) static void turn_512(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 64 <= size; i += 64)
        _mm512_store_si512(
            bytes + i, _mm512_xor_si512(_mm512_load_si512(bytes + i), _mm512_set1_epi32(-1)));
}

__attribute__((target("avx2"))) static void turn_256(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 32 <= size; i += 32) {
        __m256i *at = (__m256i *)(void *)(bytes + i);
        _mm256_store_si256(at, _mm256_xor_si256(_mm256_load_si256(at), _mm256_set1_epi32(-1)));
    }
}

/* Twice, so that everything is as it was. */
static void turn(uint8_t *bytes, size_t size, uint32_t vector_bytes)
{
    for (int round = 0; round < 2; round++) {
        if (vector_bytes >= 64 && BYTES >= 64)
            turn_512(bytes, size);
        else if (vector_bytes >= 32)
            turn_256(bytes, size);
    }
}
#else
static void turn(uint8_t *bytes, size_t size, uint32_t vector_bytes)
{
    (void)bytes, (void)size, (void)vector_bytes;
}
#endif

void NAMED(NAME, _main)(void *payload, size_t size, void *target_args)
{
    aligned_state *state = target_args;
    state->misplaced += (uintptr_t)payload % BYTES != 0;
    if ((uintptr_t)payload % BYTES == 0)
        turn(payload, size, state->vector_bytes);
    state->wrong += !aligned_is_whole(payload, size);
    state->bytes += size;
    state->calls++;
#ifndef ANSWERS_NOBODY
    (void)tc_reply(&state->misplaced, sizeof state->misplaced);
#endif
}

#ifdef MAKES_PAYLOADS
size_t NAMED(NAME, _payload_get_max_size)(void *source_args, size_t source_args_size)
{
    (void)source_args;
    return source_args_size;
}

/* Cancels the message where it cannot work as its author expects. */
int NAMED(NAME, _payload_init)(void *payload, size_t payload_size, void *source_args,
                               size_t source_args_size)
{
    (void)source_args, (void)source_args_size;
    aligned_fill(payload, payload_size);
    return (uintptr_t)payload % BYTES != 0;
}
#endif
