/* Headers of the C library differ between targets; those of other libraries are in /usr/include
 * for all. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

/* Right for each target only with its own headers. */
#if defined(__x86_64__)
_Static_assert(sizeof(pthread_mutex_t) == 40, "mutex of x86_64");
#elif defined(__aarch64__)
_Static_assert(sizeof(pthread_mutex_t) == 48, "mutex of aarch64");
#endif
_Static_assert(LONG_MAX == INT64_MAX && CHAR_BIT == 8 && DBL_DIG == 15, "limits");

void libraries_main(void *payload, size_t size, void *target_args)
{
    char text[64];
    assert(size > 0);
    size_t n = ZSTD_decompress(text, sizeof text, payload, size);
    (void)snprintf(text, sizeof text, "%zu %s %f", n, sqlite3_libversion(), floor((double)n));
    memcpy(target_args, text, strlen(text) + 1);
}
