/* Puts the amount in its payload on the shelf of its node, and answers with the sum there. */
#include "shelf.h"

#include <tc/entry.h>

void borrow_main(void *payload, size_t size, void *target_args)
{
    static uint64_t calls;
    shelf_answer answer = {.version = shelf_version(), .calls = ++calls};
    (void)target_args;
    if (size == sizeof(uint64_t))
        (void)shelf_put(*(uint64_t *)payload);
    answer.count = shelf_count;
    answer.inits = shelf_inits;
    (void)tc_reply(&answer, sizeof answer);
}
