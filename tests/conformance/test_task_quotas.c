/* The quota of functions that wait. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/test.h"

#include "base/clock.h"

#include <sched.h>
#include <tc/task.h>

static size_t waiting(pair *p)
{
    pair_pause(p);
    const size_t count = tc_task_count(p->target);
    pair_resume(p);
    return count;
}

static void send_waiting(tc_ep *ep, tc_ifunc *fn, unsigned count)
{
    const patient_order order = {.kind = PATIENT_STAY, .ns = 3600 * TCI_NS_PER_S};
    for (unsigned i = 0; i < count; i++)
        assert_ok(pair_send(ep, fn, &order, sizeof order));
    pair_flush(ep);
}

/* All endpoints of an identity share the quota: here those without one. */
TEST(functions_beyond_the_quota_cannot_wait)
{
    enum { QUOTA = 10, EACH = 8 };
    pair p;
    pair_open(&p, (const char *const[]){"quota_tasks", "10", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "patient");
    tc_ep *other = pair_connect(&p);
    send_waiting(other, fn, EACH);
    send_waiting(p.ep, fn, EACH);
    assert_int_equal(waiting(&p), QUOTA);
    pair_pause(&p);
    assert_int_equal(p.target_state.replies, 2 * EACH - QUOTA);
    pair_resume(&p);
    tc_ep_close(other);
    while (waiting(&p) != QUOTA - EACH) {
        (void)tc_progress(p.source);
        sched_yield();
    }
    send_waiting(p.ep, fn, EACH + 1);
    assert_int_equal(waiting(&p), QUOTA);
    pair_close(&p);
}
