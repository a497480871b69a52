/* Sends one greeting: sender HOST:PORT */
#include "greeting.h"

#include <stdio.h>
#include <string.h>
#include <tc/tc.h>

#ifdef EMBEDDED
extern const tc_embedded greet_tca;
#endif

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_ifunc *greet;
    tc_ep *ep;
    tc_error err = {TC_OK, ""};
    struct greeting greeting;
    memset(&greeting, 0, sizeof greeting);
    greeting.number = 42;
    tc_status status = tc_context_create(NULL, &ctx, &err);
    if (status == TC_OK)
        status = tc_ep_connect(ctx, argc > 1 ? argv[1] : "", 0, &ep, &err);
    if (status == TC_OK)
#ifdef EMBEDDED
        status = tc_ifunc_open_embedded(ctx, &greet_tca, &greet, &err);
#else
        status = tc_ifunc_open(ctx, "greet", &greet, &err);
#endif
    if (status == TC_OK)
        status = tc_call(ep, greet, &greeting, sizeof greeting, NULL, NULL, 0, &err);
    if (status != TC_OK)
        fprintf(stderr, "%s: %s\n", tc_status_name(status), err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
