#include "modules/calls/local_reply.h"

#include "base/assertion.h"
#include "base/cursor.h"
#include "modules/calls/groups.h"
#include "modules/calls/calling_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct tci_local_reply {
    struct tci_local_reply *next; /* bound: TCI_CALLS_MAX */
    tci_reply reply;
    tc_group *group; /* the group that its message travels in, or NULL */
    size_t size;
    uint8_t bytes[]; /* path, then data */
} tci_local_reply;

void tci_local_replies_init(tci_local_replies *replies)
{
    *replies = (tci_local_replies){.last = &replies->first};
}

tc_status tci_local_reply_keep(tci_core *core, tc_group *group, const tci_reply *reply,
                               const uint32_t *path, const void *data, size_t size)
{
    size_t path_bytes = sizeof *path * reply->path_length;
    tci_local_replies *replies = &tci_calling_of(core)->replies;
    if (replies->count == TCI_CALLS_MAX) /* a call has one, so these are of no call */
        return TC_E_AGAIN;
    tci_local_reply *kept = malloc(sizeof *kept + path_bytes + size);
    tci_writer w;
    if (kept == NULL)
        return TC_E_NO_MEMORY;
    *kept = (tci_local_reply){.reply = *reply, .group = group, .size = size};
    kept->reply.total = size;
    tci_writer_init(&w, kept->bytes, path_bytes);
    for (uint32_t i = 0; i < reply->path_length; i++)
        tci_write_u32(&w, path[i]);
    if (size > 0)
        memcpy(kept->bytes + path_bytes, data, size);
    TCI_INVARIANT(reply_list, *replies->last == NULL);
    *replies->last = kept;
    replies->last = &kept->next;
    replies->count++;
    tci_pending_add(&core->pending, TCI_WORK_REPLY);
    return TC_OK;
}

static void take(tci_core *core, const tci_local_reply *kept)
{
    const uint8_t *data = kept->bytes + 4u * (size_t)kept->reply.path_length;
    const tci_answerer own = {.group = kept->group};
    if (kept->reply.call != 0)
        tci_calls_answer(core, &own, &kept->reply, kept->bytes, data, kept->size);
    else if (kept->group != NULL)
        tci_group_note_failure(kept->group, (tc_status)kept->reply.status, data, kept->size);
}

void tci_local_replies_take(tci_core *core)
{
    tci_local_replies *replies = &tci_calling_of(core)->replies;
    while (replies->first != NULL) {
        tci_local_reply *kept = replies->first;
        replies->first = kept->next;
        if (replies->first == NULL)
            replies->last = &replies->first;
        replies->count--;
        take(core, kept);
        free(kept);
    }
}

void tci_local_replies_forget(tci_local_replies *replies, const tc_group *group)
{
    tci_local_reply **link = &replies->first;
    while (*link != NULL) {
        tci_local_reply *kept = *link;
        if (group == NULL || kept->group == group) {
            *link = kept->next;
            replies->count--;
            free(kept);
        } else {
            link = &kept->next;
        }
    }
    replies->last = link;
    TCI_INVARIANT(reply_list, *replies->last == NULL);
}
