/* Waits while the library that it uses is replaced, and looks whether it goes on with the
 * version that it began with. The payload is the time, in nanoseconds. Answers with the
 * version. */
#include "check.h"
#include "shelf.h"

#include <string.h>
#include <tc/entry.h>
#include <tc/task.h>

TC_THREADED(lodger)(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint64_t version = shelf_version(), inits = shelf_inits;
    uint64_t ns;
    memcpy(&ns, payload, sizeof ns);
    (void)size;
    for (unsigned i = 0; i < 4; i++) {
        if (tc_task_sleep(ns / 4) != TC_OK || shelf_version() != version ||
            shelf_inits != inits)
            state->wrong++;
    }
    state->next++;
    (void)tc_reply(&version, sizeof version);
}
