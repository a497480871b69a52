/* Sends a function that it has in itself: no hello.tca is needed where it runs.
 *     hello_sender HOST:PORT TEXT */
#include <stdio.h>
#include <string.h>
#include <tc/tc.h>

extern const tc_embedded hello_tca; /* tc_add_ifunc(hello ... EMBED) makes it */

int main(int argc, char **argv)
{
    tc_context *ctx = NULL;
    tc_ep *ep;
    tc_ifunc *hello;
    tc_error err;
    tc_status status;
    if (argc != 3) {
        fprintf(stderr, "usage: hello_sender HOST:PORT TEXT\n");
        return 2;
    }
    if ((status = tc_context_create(NULL, &ctx, &err)) != TC_OK ||
        (status = tc_ifunc_open_embedded(ctx, &hello_tca, &hello, &err)) != TC_OK ||
        (status = tc_ep_connect(ctx, argv[1], 0, &ep, &err)) != TC_OK ||
        (status = tc_call(ep, hello, argv[2], strlen(argv[2]), NULL, NULL, 0, &err)) != TC_OK)
        fprintf(stderr, "hello_sender: %s\n", err.text);
    tc_context_destroy(ctx);
    return status != TC_OK;
}
