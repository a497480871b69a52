/* A lock that is not used as it should be ends the process. */
#include "../support/broken_invariant.h"
#include "base/hand_lock.h"

static tci_hand_lock *made(void)
{
    static tci_hand_lock lock;
    tci_hand_lock_init(&lock);
    return &lock;
}

TEST_BROKEN(lock_holder)
{
    tci_hand_lock_release(made());
}

TEST_BROKEN(lock_held)
{
    tci_hand_lock *lock = made();
    assert_true(tci_hand_lock_take(lock, UINT64_MAX, 0));
    lock->word = 0;
    tci_hand_lock_release(lock);
}
