#include "core/single_message.h"

#include "base/assertion.h"

#include <stdlib.h>
#include <string.h>

struct tci_single_message {
    tci_link_op op;
    bool leaving;
    bool orphan; /* its endpoint is gone, and UCX has not released it yet */
    uint8_t bytes[TCI_SINGLE_MESSAGE_MAX];
};

bool tci_single_message_is_leaving(const tci_single_message *message)
{
    return message != NULL && message->leaving;
}

static void has_left(tci_link_op *op)
{
    tci_single_message *message = op->user;
    TCI_INVARIANT(message_single, message->leaving);
    message->leaving = false;
    if (message->orphan)
        free(message);
}

tc_status tci_single_message_send(tci_single_message **message, tci_link *link, tci_am kind,
                                  const void *bytes, size_t size)
{
    if (*message == NULL)
        *message = calloc(1, sizeof **message);
    tci_single_message *m = *message;
    if (m == NULL || m->leaving)
        return TC_E_AGAIN;
    m->op = (tci_link_op){.done = has_left, .user = m};
    TCI_INVARIANT_IS(message_single, size, <=, sizeof m->bytes);
    TCI_INVARIANT(message_single, !m->leaving && !m->orphan);
    memcpy(m->bytes, bytes, size);
    tc_status status = tci_link_send(link, kind, 0, &m->op, m->bytes, size, &m->leaving);
    return status == TC_E_NO_MEMORY ? TC_E_AGAIN : status;
}

void tci_single_message_free(tci_single_message *message)
{
    if (tci_single_message_is_leaving(message))
        message->orphan = true;
    else
        free(message);
}
