/* Sleeps as often as its hole says, between others of its code, and answers how often. */
#include <stdint.h>
#include <tc/call.h>
#include <tc/entry.h>
#include <tc/task.h>

TC_HOLE(naps, uint64_t);

TC_THREADED(drowsy)(void *payload, size_t payload_size, void *target_args)
{
    uint64_t slept = 0;
    (void)payload;
    (void)payload_size;
    (void)target_args;
    for (uint64_t i = 0; i < naps; i++)
        slept += tc_task_sleep(1000) == TC_OK;
    (void)!tc_reply(&slept, sizeof slept);
}
