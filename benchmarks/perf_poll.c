#include "perf_poll.h"

#include "perf_clock.h"

#include <sched.h>

bool perf_poll_rest(perf_poll *poll)
{
    perf_session *session = poll->session;
    uint64_t now = perf_now_ns();
    if (poll->quiet_since_ns == 0)
        poll->quiet_since_ns = now;
    if (atomic_load_explicit(&session->control->failed, memory_order_relaxed) != 0)
        return false;
    if (perf_session_target_is_gone(session))
        return perf_session_complain(session, "the target died");
    if (now - poll->quiet_since_ns > PERF_SILENCE_NS)
        return perf_session_complain(session, "nothing came for %d s",
                                     (int)(PERF_SILENCE_NS / PERF_NS_PER_S));
    /* With fewer free processors than processes, spinning on would only keep the other side
     * from running. */
    (void)sched_yield();
    return true;
}
