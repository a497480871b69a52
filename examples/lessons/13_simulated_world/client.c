/* A client, which tries each addition until it is confirmed. */
#include "counter.h"

#define TRIES 100

/* Adds once. A connection that was lost is made again. */
static tc_status add(tc_context *ctx, const char *server, tc_ifunc *fn, const addition *a,
                     tc_ep **ep)
{
    tc_error err;
    tc_status status = TC_OK;
    if (*ep == NULL)
        status = tc_ep_connect(ctx, server, TC_SECONDS(1), ep, &err);
    if (status == TC_OK)
        status = tc_call(*ep, fn, a, sizeof *a, NULL, NULL, TC_MILLISECONDS(100), &err);
    if (status != TC_OK && status != TC_E_TIMEOUT && *ep != NULL) {
        tc_ep_close(*ep);
        *ep = NULL;
    }
    return status;
}

uint32_t client_run(const char *server, uint32_t client, const tc_embedded *embedded)
{
    tc_context *ctx = context_open();
    tc_ifunc *fn;
    tc_ep *ep = NULL;
    uint32_t confirmed = 0;
    tc_error err;
    if (tc_ifunc_open_embedded(ctx, embedded, &fn, &err) == TC_OK) {
        for (uint32_t number = 1; number <= ADDITIONS; number++) {
            const addition a = {client, number};
            tc_status status = TC_E_TIMEOUT;
            for (int tried = 0; tried < TRIES && status != TC_OK; tried++)
                status = add(ctx, server, fn, &a, &ep);
            confirmed += status == TC_OK;
            tc_wait(ctx, TC_MILLISECONDS(1));
        }
    }
    tc_context_destroy(ctx);
    return confirmed;
}
