/* Answers with a rank's counters. A payload of "e" has the program end. */
#include "thing.h"

#include <tc/entry.h>

void rank_control_main(void *payload, size_t size, void *target_args)
{
    thing_rank *rank = tc_self_data(THING_RANK, NULL);
    (void)target_args;
    if (rank == NULL)
        return;
    if (size == 1 && *(const char *)payload == 'e')
        rank->has_ended = 1;
    tc_reply(rank, sizeof *rank);
}
