/* Sleeps alone in a variable of a library that travels, for as long as the payload says, in
 * nanoseconds. Counts its ends, and those that were not alone or not with one version. */
#include "check.h"
#include "shelf.h"

#include <string.h>
#include <tc/entry.h>
#include <tc/task_sync.h>

static unsigned inside;

TC_THREADED(tenant)(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint64_t version = shelf_version();
    uint64_t ns;
    memcpy(&ns, payload, sizeof ns);
    (void)size;
    if (tc_task_enter((uintptr_t)&shelf_inits) != TC_OK || inside++ != 0 ||
        tc_task_sleep(ns) != TC_OK || --inside != 0 || shelf_version() != version)
        state->wrong++;
    state->next++;
    (void)tc_reply(&version, sizeof version);
}
