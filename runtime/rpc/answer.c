#include "answer.h"

#include "base/cursor.h"
#include "base/logger.h"
#include "transfer/send.h"
#include "group/group_private.h"

#include <stdio.h>
#include <stdlib.h>

static tc_status keep_local(tci_core *core, tc_group *group, const tci_reply *reply,
                            const uint32_t *path, const void *data, size_t size)
{
    size_t path_bytes = sizeof *path * reply->path_length;
    tci_local_answer *answer = malloc(sizeof *answer + path_bytes + size);
    tci_writer w;
    if (answer == NULL)
        return TC_E_NO_MEMORY;
    *answer = (tci_local_answer){.reply = *reply, .group = group, .size = size};
    answer->reply.total = size;
    tci_writer_init(&w, answer->bytes, path_bytes);
    for (uint32_t i = 0; i < reply->path_length; i++)
        tci_write_u32(&w, path[i]);
    if (size > 0)
        memcpy(answer->bytes + path_bytes, data, size);
    *core->answers_last = answer;
    core->answers_last = &answer->next;
    core->attention |= TCI_CHORES;
    return TC_OK;
}

static tci_reply reply_of(const tc_ep *ep, const tci_route *route, tc_status status)
{
    return (tci_reply){.call = route->call,
                       .status = status,
                       .hops = route->hops,
                       .rank = ep->group != NULL ? ep->group->rank : TC_RANK_NONE,
                       .path_length = route->path_length};
}

tc_status tci_answer(tc_ep *ep, const tci_route *route, tc_status status, const void *data,
                     size_t size)
{
    tc_group *group = ep->group;
    tc_ep *to = ep;
    tci_reply reply = reply_of(ep, route, status);
    if (route->origin != TC_RANK_NONE) {
        if (group == NULL || route->origin >= group->size)
            return TC_E_UNREACHABLE;
        if (route->origin == group->rank)
            return keep_local(ep->core, group, &reply, route->path, data, size);
        TC_TRY(tc_group_ep(group, route->origin, &to, NULL));
    }
    return tci_send_reply(to, &reply, route->path, data, size);
}

void tci_answer_error(tc_ep *ep, const tci_route *route, tc_status status, const char *text)
{
    size_t size = strnlen(text, TCI_ANSWER_TEXT_MAX);
    tc_status sent = tci_answer(ep, route, status, text, size);
    TC_LOG(sent == TC_OK ? TC_LOG_DEBUG : TC_LOG_WARN,
           "endpoint %u: a message failed (%s); its origin %s", ep->connection, text,
           sent == TC_OK ? "is told" : tc_status_text(sent));
}

/* --- messages that could not leave ------------------------------------------------------- */

void tci_answer_sender(tc_ep *ep, const tci_route *route, tc_status status, const char *text)
{
    const tci_reply reply = reply_of(ep, route, status);
    if (route->origin != TC_RANK_NONE)
        tci_answer_error(ep, route, status, text);
    else if (keep_local(ep->core, ep->group, &reply, route->path, text, strlen(text)) != TC_OK)
        TC_LOG(TC_LOG_WARN, "endpoint %u: %s, and there is no memory to say so", ep->connection,
               text);
}

static void lost(tc_ep *ep, const uint8_t *payload, size_t size, bool routed, const char *why)
{
    char text[TC_ERROR_TEXT_MAX];
    tci_route route = {.origin = ep->group != NULL ? ep->group->rank : TC_RANK_NONE};
    size_t rest;
    if (routed && tci_route_decode(payload, size, &route, &rest, NULL) != TC_OK)
        return; /* it was made here */
    if (ep->group == NULL && route.call == 0)
        return; /* whoever sent it learns by the endpoint's end */
    if (ep->group != NULL)
        (void)snprintf(text, sizeof text, "rank %u could not send it on to rank %u: %.300s",
                       ep->group->rank, ep->rank, why);
    else
        (void)snprintf(text, sizeof text, "%.300s", why);
    tci_answer_sender(ep, &route, TC_E_PEER_LOST, text);
}

static void item_lost(tc_ep *ep, const tci_queued *item, const char *why)
{
    if (item->fn != NULL)
        lost(ep, item->payload, item->frame.payload_size, (item->frame.flags & TCI_ROUTED) != 0,
             why);
}

void tci_route_lost(tc_ep *ep, const tci_queued *item, tc_status status)
{
    const char *why = status == TC_E_REFUSED && ep->refusal != NULL ? ep->refusal->text
                                                                    : tc_status_text(status);
    item_lost(ep, item, why);
}

void tci_answer_unsent(tc_ep *ep)
{
    tc_error error = {0};
    const tci_partial *partial = ep->partial;
    (void)tc_ep_error(ep, &error);
    if (partial != NULL && partial->routed != 0 && partial->owned != NULL) {
        /* only the part that has not left may be in memory; the route is at its end */
        size_t kept = partial->size - partial->start;
        lost(ep, partial->payload, kept, true, error.text);
    }
    while (ep->queue != NULL) {
        tci_queued *item = ep->queue;
        ep->queue = item->next;
        item_lost(ep, item, error.text);
        tci_queued_free(ep, item);
    }
    ep->queue_last = &ep->queue;
}

/* --- answers to ourselves ---------------------------------------------------------------- */

static void take(tci_core *core, const tci_local_answer *answer)
{
    const uint8_t *data = answer->bytes + 4u * (size_t)answer->reply.path_length;
    if (answer->reply.call != 0)
        tci_calls_answer(core, &answer->reply, answer->bytes, data, answer->size);
    else if (answer->group != NULL)
        tci_group_note_failure(answer->group, (tc_status)answer->reply.status, data,
                               answer->size);
}

void tci_answers_take_local(tci_core *core)
{
    while (core->answers != NULL) {
        tci_local_answer *answer = core->answers;
        core->answers = answer->next;
        if (core->answers == NULL)
            core->answers_last = &core->answers;
        take(core, answer);
        free(answer);
    }
}

void tci_answers_forget(tci_core *core, const tc_group *group)
{
    tci_local_answer **link = &core->answers;
    while (*link != NULL) {
        tci_local_answer *answer = *link;
        if (group == NULL || answer->group == group) {
            *link = answer->next;
            free(answer);
        } else {
            link = &answer->next;
        }
    }
    core->answers_last = link;
}
