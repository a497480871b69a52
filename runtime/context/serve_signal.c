/* Runs incoming messages until a signal asks the process to end. */
#include "context/context_object.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

static const int ending[] = {SIGINT, SIGTERM};
#define ENDING (sizeof ending / sizeof ending[0])

/* Any thread may get the signal. The call returns after all handlers that have begun, so that
 * the caller may free the context. */
static _Atomic(tc_context *) served;
static atomic_uint handlers;
static volatile int came; /* written by builtins only: tc_serve reads an int */

static void on_signal(int number)
{
    atomic_fetch_add(&handlers, 1);
    __atomic_store_n(&came, number, __ATOMIC_RELEASE);
    tc_context *ctx = atomic_load(&served);
    if (ctx != NULL)
        tc_wake(ctx);
    atomic_fetch_sub(&handlers, 1);
}

/* A second signal of the kind has its default action, and ends the process without waiting for
 * the running function. A signal that is ignored (nohup, a shell's background) stays
 * ignored. */
static void catch_signals(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = on_signal,
                               .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING; i++) {
        sigaction(ending[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
}

static void leave_signals(const struct sigaction *before)
{
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &before[i], NULL);
    atomic_store(&served, NULL);
    while (atomic_load(&handlers) > 0)
        sched_yield();
}

tc_status tc_serve_until_signal(tc_context *ctx, int *signal_out)
{
    struct sigaction before[ENDING];
    tc_context *nobody = NULL;
    if (tci_core_is_busy(&ctx->core))
        return TC_E_BUSY;
    if (!atomic_compare_exchange_strong(&served, &nobody, ctx))
        return TC_E_IN_USE;
    __atomic_store_n(&came, 0, __ATOMIC_RELEASE);
    catch_signals(before);
    tc_status status = tc_serve(ctx, &came);
    int number = __atomic_load_n(&came, __ATOMIC_ACQUIRE);
    leave_signals(before);
    if (status == TC_OK && signal_out != NULL)
        *signal_out = number;
    return status;
}
