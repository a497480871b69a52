/* Sends one message with the library that is installed, as C11 and as C++17:
 *     sender HOST:PORT [FUNCTION] */
#include <stdio.h>
#include <string.h>
#include <tc/ifunc.h>

#define TIMEOUT_NS 30000000000u

static tc_status send_greeting(tc_context *ctx, tc_ep *ep, const char *name, tc_error *err)
{
    static const char greeting[] = "from a program of its own";
    tc_ifunc *function;
    tc_status status = tc_ifunc_open(ctx, name, &function, err);
    if (status == TC_OK)
        status = tc_send_wait(ep, function, greeting, strlen(greeting), TIMEOUT_NS, err);
    return status;
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_ep *ep = NULL;
    tc_error err = {TC_OK, ""};
    tc_status status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = tc_ep_connect(ctx, argc > 1 ? argv[1] : "", 0, &ep, &err);
    if (status == TC_OK && argc > 2)
        status = send_greeting(ctx, ep, argv[2], &err);
    if (status == TC_OK)
        status = tc_ep_flush(ep, TIMEOUT_NS, &err);
    if (status != TC_OK)
        fprintf(stderr, "%s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
