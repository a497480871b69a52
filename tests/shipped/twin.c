/* A library that has a symbol of another one, too. */
#include "shelf.h"

uint64_t shelf_version(void)
{
    return 99;
}
