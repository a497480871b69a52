/* A shared object as any compiler makes it. Its constructor runs when it is loaded. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>

__attribute__((visibility("default"))) uint64_t stock_total;
__attribute__((visibility("default"))) uint64_t stock_add(uint64_t n);
__attribute__((visibility("default"))) int libstock_init(void);

#ifndef STOCK_FIRST
#define STOCK_FIRST 40
#endif

static uint64_t first;

__attribute__((constructor)) static void begin(void)
{
    first = STOCK_FIRST;
    (void)setenv("STOCK_HAS_BEGUN", "yes", 1);
}

int libstock_init(void)
{
    stock_total = first;
    return 0;
}

uint64_t stock_add(uint64_t n)
{
    return stock_total += n;
}
