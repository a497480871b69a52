/* Functions that know nothing of messages; each is compiled with the entry that was made. */
#include "typed.h"

void typed_null(void)
{
}

uint64_t typed_word(uint64_t word)
{
    return word + 1;
}

uint64_t typed_two(uint64_t first, uint64_t second)
{
    return first + second;
}

void typed_doubles(double values[TYPED_DOUBLES])
{
    for (int i = 0; i < TYPED_DOUBLES; i++)
        values[i] += 1;
}
