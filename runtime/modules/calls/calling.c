/* The operations of the module calls, and its state. */
#include "modules/calls/calling.h"

#include "modules/calls/brief_run.h"
#include "modules/calls/invocation.h"
#include "modules/calls/member.h"
#include "modules/calls/reply.h"

#include <tc/entry.h>

static void ended(tc_ep *ep, const tc_error *error)
{
    tci_member_ended(ep, error);
    if (ep->state >= TCI_EP_CLOSED)
        tci_reply_unsent(ep);
    tci_calls_lose(ep->core, ep, error);
}

static const tci_calls_ops ops = {.opened = tci_member_opened,
                                  .ended = ended,
                                  .retry = tci_member_retry,
                                  .unsent = tci_reply_item_unsent,
                                  .end = tci_invocation_end,
                                  .reply_error = tc_reply_error,
                                  .refuse = tci_invocation_refuse,
                                  .refused = tci_invocation_refused,
                                  .run_brief = tci_brief_run,
                                  .run_brief_counted = tci_brief_run_counted,
                                  .reply = tci_invocation_reply,
                                  .control = tci_member_control,
                                  .end_all = tci_calls_end};

void tci_calling_init(tci_calling *calling)
{
    calling->calls.head.ops = &ops;
    tci_calls_init(&calling->calls);
    tci_local_replies_init(&calling->replies);
}

void tci_calling_fini(tci_calling *calling)
{
    tci_calls_fini(&calling->calls);
    tci_local_replies_forget(&calling->replies, NULL);
    tci_groups_free(&calling->groups);
}
