/* Sends that are started: payloads in parts, which the library reads until it reports the
 * end. */
#include "traffic_node.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

static void send_done(void *user, tc_status status)
{
    part_send *s = user;
    const flow *f = flows_get(s->flow);
    if (!s->used || s->done)
        flows_fail("flow %u: the end of send %" PRIu64 " was reported twice", s->flow,
                   s->number);
    if (s->ended != 1)
        flows_fail("flow %u: send %" PRIu64 " was counted %" PRIu64 " times before its end",
                   s->flow, s->number, s->ended);
    if (status != TC_OK && !f->ended && !node_is_refusal(s->node, status) &&
        !node_may_fail(s->node, f))
        flows_fail("flow %u: send %" PRIu64 ": %s without a fault", s->flow, s->number,
                   tc_status_name(status));
    s->done = true;
    memset(s->bytes, 0xee, s->size); /* a later look at them is seen by flows_check */
}

static part_send *unused(node *n)
{
    part_send *s = n->part_sends;
    while (s < n->part_sends + PART_SENDS_MAX && s->used && !s->done)
        s++;
    if (s == n->part_sends + PART_SENDS_MAX)
        return NULL;
    if (s->bytes == NULL)
        s->bytes = malloc(LARGE_MAX);
    return s->bytes != NULL ? s : NULL;
}

static size_t draw_parts(node *n, uint8_t *bytes, size_t size,
                         struct iovec parts[TC_SEND_PARTS_MAX])
{
    const size_t count = 1 + draw(n, draw(n, 2) == 0 ? 1 : TC_SEND_PARTS_MAX);
    size_t at = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        parts[i] = (struct iovec){bytes + at, draw(n, size - at + 1)};
        at += parts[i].iov_len;
    }
    parts[count - 1] = (struct iovec){bytes + at, size - at};
    return count;
}

void node_send_parts(node *n, unsigned to)
{
    tc_error error = {0};
    struct iovec parts[TC_SEND_PARTS_MAX];
    part_send *s = unused(n);
    if (s == NULL)
        return;
    const unsigned function = node_draw_function(n);
    const size_t size = node_draw_size(n);
    flow *f = flows_get(n->peers[to].flow);
    *s = (part_send){.used = true,
                     .node = n,
                     .flow = n->peers[to].flow,
                     .number = f->sent + 1,
                     .bytes = s->bytes};
    s->size = size;
    flows_write(s->flow, function, FLOW_SEND, s->bytes, size);
    const tc_send_params params = {.done = send_done, .user = s, .ended = &s->ended};
    const size_t count = draw_parts(n, s->bytes, size, parts);
    tc_status status =
        tc_send_start(n->peers[to].ep, n->functions[function], parts, count, &params, &error);
    if (status == TC_OK) {
        f->sent++;
        return;
    }
    s->used = false;
    if (status != TC_E_AGAIN)
        node_lose(n, to, status, &error, "start of a send");
}

void node_expect_parts_ended(const node *n)
{
    for (unsigned i = 0; i < PART_SENDS_MAX; i++) {
        const part_send *s = &n->part_sends[i];
        if (s->used && (!s->done || s->ended != 1))
            flows_fail("node %u: the end of send %" PRIu64 " of flow %u was reported %" PRIu64
                       " times",
                       n->number, s->number, s->flow, s->ended);
    }
}

void node_free_parts(node *n)
{
    for (unsigned i = 0; i < PART_SENDS_MAX; i++)
        free(n->part_sends[i].bytes);
}
