/* No constructor, though it is called as one: answers with so many bytes. */
#include <string.h>
#include <tc/entry.h>

void thing_lie_main(void *payload, size_t size, void *target_args)
{
    unsigned char bytes[64];
    (void)target_args;
    memset(bytes, 0xff, sizeof bytes);
    if (size == 1)
        tc_reply(bytes, *(unsigned char *)payload % sizeof bytes);
}
