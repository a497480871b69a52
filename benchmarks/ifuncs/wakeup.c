/* How long ago was this sent? The payload is the time of sending, by the clock that all
 * processes of a machine share. */
#include "wakeup.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

void wakeup_main(void *payload, size_t size, void *target_args)
{
    wakeup_target *target = target_args;
    struct timespec now;
    uint64_t sent_ns;
    clock_gettime(CLOCK_MONOTONIC, &now);
    target->counter++;
    if (size != sizeof sent_ns || target->samples == WAKEUP_SAMPLES_MAX)
        return;
    memcpy(&sent_ns, payload, size);
    target->took_ns[target->samples++] =
        (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - sent_ns;
}
