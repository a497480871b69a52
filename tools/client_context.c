#include "client_context.h"

#include <signal.h>
#include <tc/advanced.h>
#include <tc/options.h>

static tc_context *caught;
static volatile sig_atomic_t is_over;

tc_status client_context_create(tc_context **ctx_out, tc_error *err)
{
    tc_options *options;
    tc_status status = tc_options_create(&options, err);
    if (status != TC_OK)
        return status;
    status = tc_options_set(options, "close_timeout", "0", err);
    if (status == TC_OK)
        status = tc_context_create(options, ctx_out, err);
    tc_options_destroy(options);
    return status;
}

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
    tc_wake(caught);
}

static int gives_up(void *user)
{
    (void)user;
    return is_over;
}

static void set_handler(void (*handler)(int number))
{
    const struct sigaction action = {.sa_handler = handler};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

void client_context_catch_signals(tc_context *ctx)
{
    caught = ctx;
    set_handler(on_signal);
    tc_context_set_interrupt(ctx, gives_up, NULL);
}

void client_context_release_signals(void)
{
    set_handler(SIG_DFL);
}

bool client_context_is_over(void)
{
    return is_over;
}
