/* Holes, as -D of the test asks for them. */
#include <tc/entry.h>

TC_HOLE(factor, uint64_t);
#ifdef MORE
#define HOLES(p)                                                                               \
    TC_HOLE(p##0, int);                                                                        \
    TC_HOLE(p##1, int);                                                                        \
    TC_HOLE(p##2, int);                                                                        \
    TC_HOLE(p##3, int);
HOLES(a)
HOLES(b) HOLES(c) HOLES(d)
#endif
#ifdef LARGE
    typedef struct large {
    char bytes[257];
} large;
TC_HOLE(too_large, large);
#endif

void holes_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(uint64_t *)target_args = payload_size * factor;
#ifdef MORE
    *(uint64_t *)target_args += (uint64_t)(a0 + d3);
#endif
#ifdef LARGE
    *(uint64_t *)target_args += (uint64_t)too_large.bytes[256];
#endif
}
