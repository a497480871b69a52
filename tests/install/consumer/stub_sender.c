/* Calls a function by its stub: stub_sender HOST:PORT */
#include "average_calls.h"
#include <stdio.h>
#include <tc/context.h>

#define TIMEOUT_NS 30000000000u

int main(int argc, char **argv)
{
    static const double values[] = {1, 2, 6};
    tc_context *ctx = NULL;
    tc_ep *ep = NULL;
    tc_ifunc *fn = NULL;
    double result = 0;
    tc_error err = {TC_OK, ""};
    tc_status status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = tc_ep_connect(ctx, argc > 1 ? argv[1] : "", 0, &ep, &err);
    if (status == TC_OK)
        status = average_open(ctx, &fn, &err);
    if (status == TC_OK)
        status = average_call(ep, fn, values, 3, &result, TIMEOUT_NS, &err);
    if (status != TC_OK)
        fprintf(stderr, "stub_sender: %s\n", err.text);
    tc_context_destroy(ctx);
    return status != TC_OK || result != 3;
}
