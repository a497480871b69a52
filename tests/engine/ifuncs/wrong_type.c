#include <stddef.h>

int wrong_type_main(void *payload, int payload_size)
{
    return *(int *)payload + payload_size;
}
