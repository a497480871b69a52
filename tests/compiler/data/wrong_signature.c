#include <stddef.h>

int bad_main(void *payload, int size)
{
    return size + *(int *)payload;
}
