/* Answers any query: the program is the payload, and is read for every row. */
#include "filter_check.h"
#include "filter_rows.h"

void generic_main(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    if (!filter_check(payload, size))
        (void)tc_reply_error(TC_E_CORRUPT, "a payload that is no program");
    else
        filter_reply(payload);
}
