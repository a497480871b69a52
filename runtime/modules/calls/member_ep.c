/* Makes the endpoints of a group when they are first needed. */
#include "base/clock.h"
#include "core/ep_state.h"
#include "core/network.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"
#include "modules/calls/member.h"
#include "transfer/send_error.h"

#define RETRY_NS 20000000ull

/* Connects to a member. One that is not reachable yet is tried again until the endpoint's
 * deadline. */
static tc_status start_stream(tc_ep *ep, tc_error *err)
{
    const tc_group *group = ep->member.group;
    const tci_member *m = &group->members[ep->member.rank];
    tci_credentials *credentials =
        group->job != NULL ? &group->job->credentials : &ep->core->credentials;
    ep->state = TCI_EP_CONNECTING;
    tc_status status = tci_stream_connect_start(m->address, credentials, &ep->stream, err);
    if (status != TC_OK)
        ep->stream = NULL;
    if (status != TC_E_UNREACHABLE)
        return status;
    ep->member.retry_ns = tci_deadline_after(RETRY_NS);
    return TC_OK;
}

void tci_member_retry(tc_ep *ep, uint64_t now_ns)
{
    tc_error error;
    if (ep->stream != NULL) { /* it has failed */
        tci_stream_close(ep->stream);
        ep->stream = NULL;
        ep->member.retry_ns = now_ns + RETRY_NS;
    }
    if (now_ns >= ep->member.retry_ns && start_stream(ep, &error) != TC_OK)
        tci_ep_fail(ep, &error);
}

static tc_status start_link(tc_ep *ep, const tci_member *m, tc_error *err)
{
    tci_hello theirs;
    TC_TRY(tci_hello_decode(m->address, m->size, TCI_HELLO_ADDRESS, &theirs, err));
    if (!tci_hello_same_host(&ep->core->self, &theirs))
        TC_TRY(tci_network_open(ep->core, &ep->core->credentials,
                                "a member of its group is on another host", err));
    TC_TRY(tci_network_link(ep, &theirs, err));
    return tci_handshake_send_hello(ep, err);
}

static tc_status connect_member(tc_group *group, uint32_t rank, tc_error *err)
{
    tci_member *m = &group->members[rank];
    tc_ep *ep;
    TC_TRY(tci_ep_create(group->core, TCI_OWNER_GROUP, &ep, err));
    tci_handshake_begin(ep, tci_deadline_after(group->core->options.connect_timeout));
    ep->member.group = group;
    ep->member.rank = rank;
    tci_handshake_expect_rank(ep, rank);
    tc_status status = tci_group_is_address(m->address, m->size) ? start_link(ep, m, err)
                                                                 : start_stream(ep, err);
    if (status != TC_OK) {
        ep->member.group = NULL;
        tci_ep_free(ep);
        return status;
    }
    m->ep = ep;
    return TC_OK;
}

tc_status tc_group_ep(tc_group *group, uint32_t rank, tc_ep **ep_out, tc_error *err)
{
    if (rank >= group->size)
        return tci_error_set(err, TC_E_NOT_FOUND, "rank %u of a group of %u", rank,
                             group->size);
    if (group->ending)
        return tci_error_set(err, TC_E_CLOSED, "the group is being destroyed");
    tci_member *m = &group->members[rank];
    if (m->ep != NULL && m->ep->state >= TCI_EP_CLOSED)
        m->ep = NULL; /* its end is notified by the next tc_progress */
    if (m->ep == NULL)
        TC_TRY(connect_member(group, rank, err));
    *ep_out = m->ep;
    return TC_OK;
}

tc_status tc_group_send(tc_group *group, uint32_t rank, tc_ifunc *fn, const void *source_args,
                        size_t size)
{
    tc_ep *ep;
    tc_error error;
    tc_status status = tc_group_ep(group, rank, &ep, &error);
    if (status != TC_OK) {
        tci_send_error_store(group->core, &error);
        return status;
    }
    return tc_send(ep, fn, source_args, size);
}
