/* A target on the one-file library: prints its port, then polls until its input ends. */
#include "tchains.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static int input_ended(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    return poll(&input, 1, 0) != 0;
}

int main(void)
{
    tc_context *ctx = NULL;
    tc_listener *listener;
    tc_error err;
    unsigned long calls = 0;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        tc_listener_open(ctx, "127.0.0.1:0", &listener, &err) != TC_OK) {
        fprintf(stderr, "%s: %s\n", tc_status_text(err.status), err.text);
        return EXIT_FAILURE;
    }
    tc_context_set_target_args(ctx, &calls);
    printf("%u\n", tc_listener_port(listener));
    fflush(stdout);
    while (!input_ended())
        tc_progress(ctx);
    printf("%lu\n", calls);
    tc_context_destroy(ctx);
    return EXIT_SUCCESS;
}
