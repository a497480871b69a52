#include "kv.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    static kv_store store;
    tc_context *ctx;
    tc_error err;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        tc_listener_open(ctx, argc > 1 ? argv[1] : "", NULL, &err) != TC_OK)
        return fprintf(stderr, "kv_server: %s\n", err.text), 1;
    tc_context_set_target_args(ctx, &store);
    fprintf(stderr, "kv_server: listening at %s\n", argv[1]);
    tc_serve_until_signal(ctx, NULL);
    tc_context_destroy(ctx);
    return 0;
}
