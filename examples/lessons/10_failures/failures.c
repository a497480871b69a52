/* Provokes each failure in turn, and prints the library's error. failures HOST:PORT */
#include "divide.h"
#include <stdio.h>
#include <string.h>
#include <tc/tc.h>

extern const tc_embedded divide_tca, needy_tca;

/* How each step ended. The text is there if the status is not TC_OK. */
static void report(const char *what, tc_status status, const tc_error *err)
{
    printf("%s: %s%s%s\n", what, tc_status_name(status), status != TC_OK ? ": " : "",
           status != TC_OK ? err->text : "");
}

static void divide(tc_ep *ep, tc_ifunc *fn, const char *what, division question,
                   uint64_t timeout_ns)
{
    int quotient;
    size_t size = sizeof quotient;
    tc_error err;
    tc_status status =
        tc_call(ep, fn, &question, sizeof question, &quotient, &size, timeout_ns, &err);
    report(what, status, &err);
}

/* Nothing is there that was asked for. */
static void find_nothing(tc_context *ctx)
{
    tc_error err;
    tc_ep *ep;
    tc_ifunc *fn;
    report("no listener", tc_ep_connect(ctx, "127.0.0.1:1", 0, &ep, &err), &err);
    report("no archive", tc_ifunc_open(ctx, "multiply", &fn, &err), &err);
    report("no archive's bytes",
           tc_ifunc_open_code(ctx, &(tc_code){.bytes = "bytes", .size = 5}, &fn, &err), &err);
}

/* The target cannot load a function. Others on the endpoint go on. */
static void be_refused(tc_ep *ep, tc_ifunc *needy)
{
    tc_error err;
    report("called", tc_call(ep, needy, NULL, 0, NULL, NULL, 0, &err), &err);
    /* The failure of a message that is not a call is reported only on request. */
    report("sent", tc_send_wait(ep, needy, NULL, 0, TC_SECONDS(10), &err), &err);
    if (tc_ep_refusal(ep, &err) > 0)
        report("refused", err.status, &err);
}

static void run(tc_context *ctx, tc_ep *ep, tc_ifunc *fn, tc_ifunc *needy)
{
    tc_error err;
    find_nothing(ctx);
    be_refused(ep, needy);
    divide(ep, fn, "42 / 6", (division){.dividend = 42, .divisor = 6}, 0);
    divide(ep, fn, "42 / 0", (division){.dividend = 42, .checked = 1}, 0);
    divide(ep, fn, "too slow", (division){.divisor = 1, .delay_ms = 300}, TC_MILLISECONDS(50));
    divide(ep, fn, "42 / 0, unchecked", (division){.dividend = 42}, TC_SECONDS(30));
    divide(ep, fn, "afterwards", (division){.dividend = 42, .divisor = 6}, 0);
    report("the endpoint", tc_ep_error(ep, &err), &err);
}

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_ep *ep;
    tc_ifunc *fn, *needy;
    tc_error err;
    tc_status status;
    if ((status = tc_context_create(NULL, &ctx, &err)) != TC_OK ||
        (status = tc_ifunc_open_embedded(ctx, &divide_tca, &fn, &err)) != TC_OK ||
        (status = tc_ifunc_open_embedded(ctx, &needy_tca, &needy, &err)) != TC_OK ||
        (status = tc_ep_connect(ctx, argc > 1 ? argv[1] : "", 0, &ep, &err)) != TC_OK)
        fprintf(stderr, "failures: %s\n", err.text);
    else
        run(ctx, ep, fn, needy);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
