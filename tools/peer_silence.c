#include "peer_silence.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_NS 300000000ull

bool peer_silence_ask(tc_context *ctx, const char *host_port, char *why_out, size_t why_size)
{
    tc_error error;
    tc_ep *ep = NULL;
    if (tc_ep_connect(ctx, host_port, PATIENCE_NS, &ep, &error) == TC_OK) {
        tc_ep_close(ep);
        return false;
    }
    const char *busy = strstr(error.text, "it is busy");
    (void)snprintf(why_out, why_size, "%s", busy != NULL ? busy : error.text);
    return true;
}
