#include "call_count.h"

#include "base/clock.h"
#include "ifunc/ifunc_load.h"

#define STEP_MAX 32u
/* For calls of this length the thread's CPU clock, which is a system call, costs nothing in
 * comparison. */
#define LONG_NS 50000u

/* Measured closely, the time excludes waiting and other threads on the processor, which are not
 * the code's fault. */
static uint64_t now_ns(bool closely)
{
    struct timespec now;
    if (!closely)
        return tci_clock_ns();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * TCI_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Schedules timing of the `step`th call from now, or the last one that is counted. */
static void take_step(tc_ifunc *fn, uint64_t step)
{
    tci_call_count *count = &fn->count;
    count->beyond += fn->calls_left;
    count->step = step < count->beyond ? step : count->beyond;
    count->beyond -= count->step;
    fn->calls_left = count->step;
}

static uint64_t next_step(const tci_call_count *count)
{
    if (count->closely)
        return 1;
    return 2 * count->step < STEP_MAX ? 2 * count->step : STEP_MAX;
}

/* Charges a timed call of `ns` for `calls` calls. A call that seems long for the first time is
 * not charged: the next one measures how long the code itself runs. */
static void spend(tc_ifunc *fn, uint64_t calls, uint64_t ns)
{
    tci_call_count *count = &fn->count;
    const bool was_close = count->closely;
    count->closely = ns >= (was_close ? LONG_NS / 2 : LONG_NS);
    if (count->closely != was_close)
        take_step(fn, 1);
    if (count->closely && !was_close)
        return;
    if (calls * ns < count->time_left_ns)
        count->time_left_ns -= calls * ns;
    else
        tci_ifunc_load_tier_up(fn);
}

void tci_call_count_run_timed(tc_ifunc *fn, void *payload, size_t payload_size,
                              void *target_args)
{
    tci_call_count *count = &fn->count;
    const uint64_t calls = count->step;
    fn->calls_seen = 0; /* it was called, though the same number may remain again */
    if (count->beyond == 0) {
        tci_ifunc_load_tier_up(fn);
        fn->entry.main(payload, payload_size, target_args);
        return;
    }
    const bool closely = count->closely;
    count->timed++;
    take_step(fn, next_step(count));
    const uint64_t begun_ns = now_ns(closely);
    fn->entry.main(payload, payload_size, target_args);
    spend(fn, calls, now_ns(closely) - begun_ns);
}
