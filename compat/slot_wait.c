#include "slot_wait.h"

#include "compat_log.h"

#include <stdbool.h>
#include <time.h>

#define PATIENCE_S 5

static _Thread_local struct {
    const void *slot;
    uint64_t word;
    time_t since_s;
    bool said;
} wait;

static bool is_too_long(const void *slot, uint64_t word)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (wait.slot != slot || wait.word != word) {
        wait.slot = slot;
        wait.word = word;
        wait.since_s = now.tv_sec;
        wait.said = false;
    }
    if (now.tv_sec - wait.since_s <= PATIENCE_S)
        return false;
    wait.since_s = now.tv_sec;
    return true;
}

ucs_status_t tci_slot_wait_for_message(const void *slot, uint64_t word)
{
    if (is_too_long(slot, word) && !wait.said) {
        wait.said = true;
        return tci_compat_refuse(UCS_ERR_NO_MESSAGE,
                                 "a slot begins with %016llx, which is no message's, for %d s",
                                 (unsigned long long)word, PATIENCE_S);
    }
    return UCS_ERR_NO_MESSAGE;
}

ucs_status_t tci_slot_wait_for_rest(const void *slot, uint64_t word, ucp_worker_h worker)
{
    if (worker != NULL)
        (void)ucp_worker_progress(worker);
    if (!is_too_long(slot, word))
        return UCS_ERR_NO_MESSAGE;
    return tci_compat_refuse(UCS_ERR_TIMED_OUT, "a part of a message, for %d s", PATIENCE_S);
}

void tci_slot_wait_end(const void *slot)
{
    if (wait.slot == slot)
        wait.slot = NULL;
}
