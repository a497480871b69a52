/* prints: 7 8 9 10 */
/* Label tables of functions that are never called, or that end inside others. */
#include <stdio.h>
#include <tc/entry.h>

static long unused(int i)
{
    static const void *const places[] = {&&one, &&two};
    goto *places[i];
one:
    return 1;
two:
    return 2;
}

static inline __attribute__((always_inline)) long folded(size_t i)
{
    static const void *const places[] = {&&one, &&two, &&three};
    goto *places[i];
one:
    return 1;
two:
    return 2;
three:
    return 3;
}

static long outside(long i)
{
    static void *const places[] = {&&one, &&two};
    goto *places[i & 1];
one:
    return 4 + folded(0);
two:
    return 2 + folded(2);
}

void label_folded_main(void *payload, size_t size, void *target_args)
{
    static long calls;
    (void)payload, (void)target_args, (void)(0 ? unused(0) : 0);
    (void)printf("%ld\n", outside((long)size) + folded(1) + calls++);
    (void)fflush(stdout);
}
