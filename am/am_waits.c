#include "am_waits.h"

#include "am_units.h"

#include <stdlib.h>
#include <time.h>

/* Between two looks at units that wait for credit of an endpoint, which reports nothing. */
#define RETRY_NS 1000000u

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One wait, as long as the deadline permits. */
static tc_status pause_program(tc_ams *ams, uint64_t left)
{
    tc_status status = tc_wait(ams->context, left < RETRY_NS ? left : RETRY_NS);
    return status == TC_E_TIMEOUT ? TC_OK : status;
}

static tc_status pause_function(tca_waiter *waiter, uint64_t left)
{
    tc_status status =
        tc_task_semaphore_acquire(&waiter->semaphore, left < RETRY_NS ? left : RETRY_NS);
    return status == TC_E_TIMEOUT ? TC_OK : status;
}

static tc_status wait_for(tc_ams *ams, tca_condition condition, const void *of_what,
                          uint64_t timeout_ns, tca_waiter *waiter)
{
    const uint64_t begun = now_ns();
    for (;;) {
        tca_units_retry(ams);
        if (condition(of_what))
            return TC_OK;
        const uint64_t passed = now_ns() - begun;
        if (passed >= timeout_ns)
            return TC_E_TIMEOUT;
        const uint64_t left = timeout_ns - passed;
        tc_status status =
            waiter != NULL ? pause_function(waiter, left) : pause_program(ams, left);
        if (status != TC_OK)
            return condition(of_what) ? TC_OK : status;
    }
}

tc_status tca_waits_until(tc_ams *ams, tca_condition condition, const void *of_what,
                          uint64_t timeout_ns)
{
    if (condition(of_what))
        return TC_OK;
    if (ams->is_running) /* an operation, perhaps outside of functions: it must not wait */
        return TC_E_BUSY;
    if (tc_self_endpoint() == NULL) {
        if (timeout_ns == 0)
            tc_progress(ams->context);
        return wait_for(ams, condition, of_what, timeout_ns, NULL);
    }
    tca_waiter *waiter = calloc(1, sizeof *waiter);
    if (waiter == NULL)
        return TC_E_NO_MEMORY;
    waiter->semaphore.context = ams->context;
    waiter->next = ams->waiters;
    ams->waiters = waiter;
    tc_status status = wait_for(ams, condition, of_what, timeout_ns, waiter);
    tca_waiter **at = &ams->waiters;
    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
    (void)tc_task_forget(NULL, (uint64_t)(uintptr_t)&waiter->semaphore);
    free(waiter);
    return status;
}
