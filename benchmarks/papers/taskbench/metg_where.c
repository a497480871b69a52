/* Answers with the window that the called rank's inbox is in. */
#include "metg.h"

void metg_where_main(void *payload, size_t size, void *target_args)
{
    const metg_share *share = target_args;
    (void)payload, (void)size;
    if (share == NULL)
        (void)tc_reply_error(TC_E_NOT_FOUND, "this rank has no window yet");
    else
        (void)tc_reply(&share->window, sizeof share->window);
}
