#include <immintrin.h>
__attribute__((target("avx2"))) void bad_main(void *payload, unsigned long size, void *target)
{
    __m256i bytes = _mm256_loadu_si256(payload);
    (void)size;
    _mm256_storeu_si256(target, _mm256_shuffle_epi8(bytes, bytes));
}
