#include "node_drain.h"

#include "node_end.h"
#include "node_say.h"

#include <inttypes.h>
#include <stdio.h>

int node_drain(tc_context *ctx)
{
    tc_error error;
    uint64_t lost = 0;
    tc_status status = tc_context_drain(ctx, node_end_left_ns(), &lost, &error);
    if (status == TC_E_UNSUPPORTED) /* the library has no such module; the end follows */
        return 0;
    if (lost > 0)
        node_say(NODE_WARNING, "drain: peers may not have taken %" PRIu64 " messages", lost);
    if (status == TC_OK)
        return 0;
    node_say(NODE_ERROR, "drain: %s", error.text);
    return 1;
}
