/* Copying past the caches: for memory that another processor reads next and this one does not.
 * Where the two share no cache, a plain store first fetches the line from the other processor,
 * and the other's load fetches it back; stores past the caches do neither. Where they do share
 * one, plain stores are faster. */
#ifndef TCI_STREAM_COPY_H
#define TCI_STREAM_COPY_H

#include "base/arch.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(TCI_ARCH_X86_64)
#include <immintrin.h>
#define TCI_STREAM_COPY_EXISTS 1

/* Orders stores past the caches, which a function may make, before all stores that follow. */
static inline void tci_stream_fence(void)
{
    _mm_sfence();
}

/* `to` is a multiple of 64. The copy is ordered before all stores that follow. */
static inline void tci_stream_copy(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m128i *source = (const __m128i *)(const void *)(from + i);
        __m128i *target = (__m128i *)(void *)(to + i);
        __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    memcpy(to + i, from + i, n - i);
    tci_stream_fence();
}
#elif defined(TCI_ARCH_AARCH64)
#define TCI_STREAM_COPY_EXISTS 0

/* Releases order all stores. */
static inline void tci_stream_fence(void)
{
}

static inline void tci_stream_copy(uint8_t *to, const uint8_t *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

#endif
