/* Answers with where the board of this process is. */
#include "board.h"
#include <tc/entry.h>

void board_place_main(void *payload, size_t payload_size, void *target_args)
{
    size_t size;
    const void *place = tc_self_data("board", &size);
    (void)payload, (void)payload_size, (void)target_args;
    if (place == NULL)
        tc_reply_error(TC_E_NOT_FOUND, "this process has published no board");
    else
        tc_reply(place, size);
}
