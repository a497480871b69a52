/* The socket of the module calls (core/module.h): calls and their replies, functions that send
 * themselves on, groups. Without the module no message leaves with a route, and no endpoint
 * leads to a member of a group. */
#ifndef TCI_CALLS_OPS_H
#define TCI_CALLS_OPS_H

#include "core/ep.h"
#include "core/module.h"
#include "wire/route.h"

/* Keeps an error's text within one part of a reply, also before an endpoint is open. */
#define TCI_REPLY_TEXT_MAX 400u

/* A function runs on a message that has a route. It may reply, forward itself, or detach the
 * reply. Otherwise an empty reply leaves when it returns. */
typedef struct tci_invocation {
    tci_route route;   /* call 0: no reply is owed */
    bool moved;        /* forwarded, replied to, or detached */
    bool begun;        /* `memory` is set, and an answer is owed: tc_reply_begin */
    tc_status failure; /* of a forward or a reply, sent unless moved later; TC_OK: no failure */
    /* modules/calls/reply_memory.h; one block, if the function waits. */
    struct tci_reply_memory *memory;
    char text[256];
} tci_invocation;

typedef struct tci_calls_ops {
    /* As those of tci_ep_events. */
    void (*opened)(tc_ep *ep);
    void (*ended)(tc_ep *ep, const tc_error *error);
    void (*retry)(tc_ep *ep, uint64_t now_ns);
    void (*unsent)(tc_ep *ep, const struct tci_queued *item, tc_status status);
    /* Called after a function with a route has returned, if it failed or owes a reply. */
    void (*end)(tci_invocation *invocation, tc_ep *ep);
    /* See tc_reply_error. */
    tc_status (*reply_error)(tc_status status, const char *text);
    /* Sends the reason to the origin of a message with a route that is not run. */
    void (*refuse)(tc_ep *ep, uint8_t flags, const uint8_t *payload, size_t size,
                   const tc_error *error);
    /* The peer refuses a function of ours, or only the payload that is under way;
     * ep->tx.refusal has the reason. Ends calls with a large payload, or notifies the payload's
     * origin. */
    void (*refused)(tc_ep *ep, uint16_t slot, bool payload_only);
    /* Runs calls and answers in their short form (TCI_BRIEF) from the head of the ring up to
     * `end`, and returns their number. Stops in front of any other frame, of one that is not
     * whole, and of a function that is not callable as the frame lies: the way of dispatch
     * handles and checks all. */
    unsigned (*run_brief)(tc_ep *ep, uint64_t end);
    /* The same, counting the calls: core/usage_ops.h. */
    unsigned (*run_brief_counted)(tc_ep *ep, uint64_t end);
    /* Handles a checked frame that carries a part of a reply, or one in its short form.
     * TC_E_CORRUPT. */
    tc_status (*reply)(tc_ep *ep, uint8_t flags, const uint8_t *payload, size_t size,
                       tc_error *err);
    /* Handles the control frames MEMBER, ARRIVED, RELEASED and ABANDONED. TC_E_CORRUPT. */
    tc_status (*control)(tc_ep *ep, tci_control control, const uint8_t *payload, size_t size,
                         tc_error *err);
    /* Ends all calls that are left, before the context is destroyed. */
    void (*end_all)(tci_core *core);
} tci_calls_ops;

/* The core's part of the module's state. */
struct tci_calls_head {
    const tci_calls_ops *ops;
    uint64_t next_deadline_ns; /* no call expires before; UINT64_MAX: no call is open */
};

static inline unsigned tci_calls_run_brief(tc_ep *ep, uint64_t end)
{
    return ep->core->calls != NULL ? ep->core->calls->ops->run_brief(ep, end) : 0;
}

static inline uint64_t tci_calls_next_deadline_ns(const tci_core *core)
{
    return core->calls != NULL ? core->calls->next_deadline_ns : UINT64_MAX;
}

/* Makes the route of a call of the peer's in its short form. */
static inline void tci_calls_set_brief(const tc_ep *ep, uint64_t call, tci_route *route_out)
{
    tci_route_set_brief(route_out, call);
    if (ep->member.group != NULL)
        route_out->origin = ep->member.rank;
}

/* Reads the route at the end of the payload of a checked frame; *rest_out: the size of the part
 * before it. TC_E_CORRUPT. */
TC_MUST_CHECK static inline tc_status tci_calls_route(const tc_ep *ep, uint8_t flags,
                                                      const uint8_t *payload, size_t size,
                                                      tci_route *route_out, size_t *rest_out,
                                                      tc_error *err)
{
    if ((flags & TCI_BRIEF) == 0)
        return tci_route_decode(payload, size, route_out, rest_out, err);
    tci_calls_set_brief(ep, tci_route_brief(payload, size), route_out);
    *rest_out = size - TCI_BRIEF_BYTES;
    return TC_OK;
}

/* The same for a message that is to be run; *size becomes the size of the part before the
 * route. TC_E_CORRUPT. TC_E_UNSUPPORTED: a call, which cannot be replied to: it fails with the
 * endpoint, at once and with a reason. */
TC_MUST_CHECK static inline tc_status tci_calls_begin(tci_invocation *invocation,
                                                      const tc_ep *ep, uint8_t flags,
                                                      const uint8_t *payload, size_t *size,
                                                      tc_error *err)
{
    invocation->moved = invocation->begun = false;
    invocation->failure = TC_OK;
    TC_TRY(tci_calls_route(ep, flags, payload, *size, &invocation->route, size, err));
    if (invocation->route.call != 0 && ep->core->calls == NULL)
        return tci_module_absent("a call of the peer", "calls", err);
    return TC_OK;
}

/* Called after the function has returned. Sends the reply that is still owed. */
static inline void tci_calls_end_begun(tci_invocation *invocation, tc_ep *ep)
{
    if (invocation->route.call != 0 || invocation->failure != TC_OK)
        ep->core->calls->ops->end(invocation, ep);
}

static inline void tci_calls_refuse(tc_ep *ep, uint8_t flags, const uint8_t *payload,
                                    size_t size, const tc_error *error)
{
    if (ep->core->calls != NULL)
        ep->core->calls->ops->refuse(ep, flags, payload, size, error);
}

/* Handles a frame of kind REPLY, which has been checked. TC_E_CORRUPT. TC_E_UNSUPPORTED: this
 * side makes no calls. */
TC_MUST_CHECK static inline tc_status
tci_calls_reply(tc_ep *ep, uint8_t flags, const uint8_t *payload, size_t size, tc_error *err)
{
    return ep->core->calls != NULL ? ep->core->calls->ops->reply(ep, flags, payload, size, err)
                                   : tci_module_absent("a reply", "calls", err);
}

#endif
