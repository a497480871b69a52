/* Waiting for the active messages of a window, to a rank or to all. */
#include "am_queue.h"
#include "am_waits.h"
#include "am_windows.h"

#include "base/error_text.h"

typedef struct flush_target {
    const tc_am_window *window;
    uint32_t rank;
} flush_target;

static bool is_flushed(const void *of_what)
{
    const flush_target *target = of_what;
    return (target->rank == TC_RANK_NONE
                ? target->window->under_way
                : target->window->remotes[target->rank].under_way) == 0;
}

static bool is_sent(const void *of_what)
{
    const flush_target *target = of_what;
    const tc_ams *ams = target->window->ams;
    if (target->rank != TC_RANK_NONE)
        return !tca_queue_has(target->window, target->rank);
    for (uint32_t rank = 0; rank < ams->ranks; rank++) {
        if (tca_queue_has(target->window, rank))
            return false;
    }
    return true;
}

tc_status tc_am_flush_local(tc_am_window *window, uint32_t rank, uint64_t timeout_ns,
                            tc_error *err)
{
    const flush_target target = {.window = window, .rank = rank};
    if (rank != TC_RANK_NONE)
        TC_TRY(tca_window_check_rank(window, rank, err));
    tc_status status = tca_waits_until(window->ams, is_sent, &target, timeout_ns);
    return status == TC_OK ? TC_OK
                           : tci_error_set(err, status, "active messages wait to be sent");
}

tc_status tc_am_flush(tc_am_window *window, uint32_t rank, uint64_t timeout_ns, tc_error *err)
{
    const flush_target target = {.window = window, .rank = rank};
    if (rank != TC_RANK_NONE)
        TC_TRY(tca_window_check_rank(window, rank, err));
    tc_status status = tca_waits_until(window->ams, is_flushed, &target, timeout_ns);
    if (status != TC_OK)
        return tci_error_set(err, status, "%u active messages are under way by this window",
                             window->under_way);
    if (window->failure == TC_OK)
        return TC_OK;
    status = window->failure;
    window->failure = TC_OK;
    return tci_error_set(err, status, "%s", window->failure_text);
}
