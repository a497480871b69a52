/* Measures the beginning and the end of functions that may wait, within one message: the
 * payload is their number. The same body is called by its address, too. */
#include "tasks.h"

#include <stddef.h>
#include <string.h>
#include <tc/task.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void body(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    ++*(uint64_t *)target_args;
}

void tasks_begin_main(void *payload, size_t size, void *target_args)
{
    void (*volatile const address)(void *, size_t, void *) = body;
    tasks_target *target = target_args;
    uint64_t count = 0, word = 0, starts[3];
    if (size == sizeof count)
        memcpy(&count, payload, size);
    starts[0] = now_ns();
    for (uint64_t i = 0; i < count; i++)
        address(&word, sizeof word, target);
    starts[1] = now_ns();
    for (uint64_t i = 0; i < count; i++)
        tc_task_run(address, NULL, &word, sizeof word, target);
    starts[2] = now_ns();
    target->call_ns = starts[1] - starts[0];
    target->begin_ns = starts[2] - starts[1];
    target->began++;
}
