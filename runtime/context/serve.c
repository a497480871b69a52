/* Runs incoming messages until the program sets a flag. */
#include "context/guests.h"

#include "base/clock.h"

/* The longest time until a flag is noticed that was set without a call of tc_wake. */
#define LOOK_AGAIN_NS (TCI_NS_PER_S / 2)

static bool is_over(const volatile int *until)
{
    return until != NULL && __atomic_load_n(until, __ATOMIC_ACQUIRE) != 0;
}

tc_status tc_serve(tc_context *ctx, const volatile int *until)
{
    if (tci_guests_is_one(ctx) || tci_core_is_busy(&ctx->core))
        return TC_E_BUSY;
    while (!is_over(until)) {
        tc_status status = tc_wait(ctx, LOOK_AGAIN_NS);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            return status;
    }
    return TC_OK;
}
