/* Aligned to more than a page. */
#include <stddef.h>

_Alignas(65536) static char area[65536];

void aligned_data_main(void *payload, size_t size, void *args)
{
    area[size % sizeof area] = (char)size;
    *(void **)args = area;
    (void)payload;
}
