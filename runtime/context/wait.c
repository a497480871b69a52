/* Waiting: spin, yield, then short naps on everything that can wake us. */
#include "context_private.h"

#include "base/clock.h"

#include <poll.h>
#include <sched.h>

#define YIELDS 20u
#define NAP_FIRST_NS 50000ull
#define NAP_LAST_NS                                                                            \
    1000000ull /* direct peers write memory and wake nobody: the nap is their longest delay */

void tci_context_nap(tc_context *ctx, uint64_t timeout_ns)
{
    struct pollfd fds[2] = {{.fd = ctx->hub.epoll_fd, .events = POLLIN},
                            {.fd = tci_worker_fd(ctx->hub.worker), .events = POLLIN}};
    if (!tci_worker_arm(ctx->hub.worker))
        return; /* UCX has something to do */
    const struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / TCI_NS_PER_S),
                                     .tv_nsec = (long)(timeout_ns % TCI_NS_PER_S)};
    (void)ppoll(fds, 2, &timeout, NULL);
    ctx->countdown = 0;
    ctx->look_now = true;
}

/* One idle turn of a blocking call. Where it stands (spinning, yielding, napping) is kept in
 * the context, and starts anew with the next message. */
void tci_context_idle(tc_context *ctx, uint64_t deadline_ns)
{
    uint64_t now_ns = tci_clock_ns();
    if (ctx->idle_since_ns == 0) {
        ctx->idle_since_ns = now_ns;
        ctx->yields = 0;
        ctx->nap_ns = NAP_FIRST_NS;
    }
    if (now_ns - ctx->idle_since_ns < ctx->hub.options.spin)
        return;
    if (ctx->yields < YIELDS) {
        ctx->yields++;
        (void)sched_yield();
        return;
    }
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    tci_context_nap(ctx, left_ns < ctx->nap_ns ? left_ns : ctx->nap_ns);
    if (ctx->nap_ns < NAP_LAST_NS)
        ctx->nap_ns *= 2;
}

unsigned tci_context_turn(tc_context *ctx)
{
    ctx->countdown = 0;
    ctx->look_now = true;
    return tc_progress(ctx);
}

tc_status tc_wait(tc_context *ctx, uint64_t timeout_ns)
{
    if (tci_hub_is_busy(&ctx->hub))
        return TC_E_BUSY;
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    ctx->idle_since_ns = 0;
    for (;;) {
        if (tc_progress(ctx) > 0 || ctx->changed_seen) {
            ctx->changed_seen = false;
            ctx->idle_since_ns = 0;
            return TC_OK;
        }
        if (tci_clock_ns() >= deadline_ns)
            return TC_E_TIMEOUT;
        tci_context_idle(ctx, deadline_ns);
    }
}
