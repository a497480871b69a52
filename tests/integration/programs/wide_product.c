/* prints: 6/0 -6/0 0/1 min/0 min/1 6/0 */
/* Products of 128 bits that are checked for overflow. */
#include <stdbool.h>
#include <stdio.h>
#include <tc/entry.h>

typedef __int128 wide;

static const wide least = (wide)1 << 126;
static int calls;

void wide_product_main(void *payload, size_t size, void *target_args)
{
    const wide min = -least - least;
    const wide pairs[6][2] = {{2, 3}, {-2, 3}, {least, 4}, {least, -2}, {min, -1}, {-2, -3}};
    const wide *pair = pairs[calls++ % 6];
    volatile wide one = pair[0], other = pair[1];
    wide product;
    (void)payload, (void)size, (void)target_args;
    bool overflow = __builtin_mul_overflow(one, other, &product);
    if (product == min)
        (void)printf("min/%d\n", overflow);
    else
        (void)printf("%ld/%d\n", (long)product, overflow);
    (void)fflush(stdout);
}
