/* The server: a counter, and whatever functions clients bring. */
#include "counter.h"
#include <stdio.h>
#include <stdlib.h>

tc_context *context_open(void)
{
    tc_context *ctx = NULL;
    tc_options *options = NULL;
    tc_error err;
    if (tc_options_create(&options, &err) != TC_OK ||
        tc_options_set(options, "listen_any", "yes", &err) != TC_OK ||
        tc_context_create(options, &ctx, &err) != TC_OK) {
        fprintf(stderr, "context: %s\n", err.text);
        exit(1);
    }
    tc_options_destroy(options);
    return ctx;
}

uint32_t server_run(const char *listen_at, const volatile int *done)
{
    tc_context *ctx = context_open();
    counter c = {0, {0}};
    tc_error err;
    tc_context_set_target_args(ctx, &c);
    if (tc_listener_open(ctx, listen_at, NULL, &err) != TC_OK) {
        fprintf(stderr, "server: %s\n", err.text);
        exit(1);
    }
    while (!*done)
        tc_wait(ctx, TC_MILLISECONDS(100));
    tc_context_destroy(ctx);
    return c.value;
}
