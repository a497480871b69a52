#include "slot_wait.h"

#include "compat_log.h"
#include "ifunc_frame.h"
#include "slot_word.h"

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

/* Returns the offset of a message that begins inside the smallest slot, but not at its
 * beginning; 0 if there is none. */
static size_t message_offset(const void *slot)
{
    for (size_t at = sizeof(uint64_t); at < TCI_IFUNC_FRAME_MIN; at += sizeof(uint64_t)) {
        if (tci_ifunc_word_is_message(tci_slot_load((const uint8_t *)slot + at)))
            return at;
    }
    return 0;
}

ucs_status_t tci_slot_wait_for_message(const void *slot, uint64_t word)
{
    if (!is_too_long(slot, word) || wait.said)
        return UCS_ERR_NO_MESSAGE;
    const size_t at = message_offset(slot);
    wait.said = at != 0;
    if (at != 0)
        (void)tci_compat_refuse(UCS_ERR_NO_MESSAGE,
                                "a message begins %zu bytes behind a slot that was polled for "
                                "%d s, expected at its beginning",
                                at, PATIENCE_S);
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
