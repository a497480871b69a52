/* A library that uses another one. */
#include "shelf.h"

uint64_t annex_put(uint64_t n)
{
    return shelf_put(2 * n);
}
