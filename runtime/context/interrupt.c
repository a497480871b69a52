#include "context/interrupt.h"

#include "context/context_object.h"

void tc_context_set_interrupt(tc_context *ctx, tc_interrupt_callback callback, void *user)
{
    ctx->interrupt = callback;
    ctx->interrupt_user = user;
}

tci_patience tci_interrupt_patience(tc_context *ctx, uint64_t timeout_ns)
{
    uint64_t now_ns = tci_clock_ns();
    return (tci_patience){.deadline_ns = tci_deadline_from(now_ns, timeout_ns),
                          .check = ctx->interrupt,
                          .user = ctx->interrupt_user,
                          .ask_ns = now_ns + TCI_PATIENCE_ASK_NS};
}
