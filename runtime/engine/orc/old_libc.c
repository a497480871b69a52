#include "old_libc.h"

#include <sys/random.h>

uint32_t tci_old_libc_random(void)
{
    uint32_t word;
    return getrandom(&word, sizeof word, 0) == (ssize_t)sizeof word ? word : 0;
}
