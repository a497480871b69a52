#include <tc/am_entry.h>

TC_AM_FUNCTION(operation)(tc_am_unit *unit)
{
    *(char *)unit->persistent = 1;
}

void ordinary_main(void *payload, size_t payload_size, void *target_args)
{
    (void)target_args;
    (void)tc_reply(payload, payload_size);
}
