/* Answers as `squares` of deeds.h does, but with as many elements as its rank has: more than
 * were asked for where that is less, and no whole element for a request of BROKEN. It has no
 * prototype, so callers of other functions may call it, too; those it answers with no bytes. */
#include <string.h>
#include <tc/entry.h>

enum { MOST = 8, BROKEN = 99 };

void rank_squares_main(void *payload, size_t payload_size, void *target_args)
{
    const uint32_t rank = tc_group_rank(tc_self_group());
    uint64_t squares[MOST], asked;
    (void)target_args;
    if (payload_size != sizeof asked || rank > MOST)
        return;
    memcpy(&asked, payload, sizeof asked);
    for (uint32_t i = 0; i < rank; i++)
        squares[i] = (uint64_t)i * i;
    tc_reply(squares, rank * sizeof *squares - (asked == BROKEN && rank == 2 ? 3 : 0));
}
