/* Answers on their way to whoever began a message: by the endpoint that it came from, or by the
 * group to its origin. */
#ifndef TCI_ANSWER_H
#define TCI_ANSWER_H

#include "core/ep.h"
#include "wire/route.h"

/* So that an error's text is one part, also before an endpoint is open. */
#define TCI_ANSWER_TEXT_MAX 400u

/* Answers a message that has this route. `ep` is the endpoint that it came by, or one of the
 * group that it travels in. With another status than TC_OK data is a text. Statuses of
 * tci_send_reply; TC_E_UNREACHABLE: the origin is of no group here. */
TC_MUST_CHECK tc_status tci_answer(tc_ep *ep, const tci_route *route, tc_status status,
                                   const void *data, size_t size);

/* The same with a status and a text; if that cannot be sent it is logged. */
void tci_answer_error(tc_ep *ep, const tci_route *route, tc_status status, const char *text);

/* The same for a message that was to leave by `ep`: when no group has a part in it, it began
 * here. */
void tci_answer_sender(tc_ep *ep, const tci_route *route, tc_status status, const char *text);

/* Messages that ended with the endpoint they were to leave by: their origins hear of it. */
void tci_answer_unsent(tc_ep *ep);
/* The same of one. */
void tci_route_lost(tc_ep *ep, const tci_queued *item, tc_status status);

/* Answers to this context itself wait until no function runs. */
typedef struct tci_local_answer {
    struct tci_local_answer *next;
    tci_reply reply;
    tc_group *group; /* of one that no call waits for */
    size_t size;
    uint8_t bytes[]; /* path, then data */
} tci_local_answer;

void tci_answers_take_local(tci_core *core);
/* For the context's end, or a group's (`group` not NULL: those alone that speak of it). */
void tci_answers_forget(tci_core *core, const tc_group *group);

#endif
