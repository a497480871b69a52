/* What a context does for a group beside its endpoints: makes it, and takes it apart. */
#include "context/group_life.h"

#include "base/logger.h"
#include "base/sized_struct.h"
#include "context/context_object.h"
#include "group/groups.h"
#include "rpc/reply.h"

tc_status tc_group_create_sized(tc_context *ctx, const tc_group_params *given,
                                size_t params_size, size_t member_size, tc_group **group_out,
                                tc_error *err)
{
    tc_group_params params;
    TC_TRY(tci_sized_struct_read(&params, sizeof params, given, params_size, err));
    return tci_group_create(&ctx->core, &params, member_size, group_out, err);
}

void tci_group_life_keep_listener(tc_group *group, tc_listener *listener)
{
    group->listener = listener;
}

/* Endpoints first: closing one progresses, and its frames speak of the group. */
void tc_group_destroy(tc_group *group)
{
    if (group == NULL)
        return;
    tci_core *core = group->core;
    if (tci_core_is_busy(core)) {
        TC_LOG(TC_LOG_ERROR, "tc_group_destroy was called from inside an ifunc; ignored");
        return;
    }
    for (tc_ep *ep = core->first; ep != NULL;) {
        if (ep->member.group == group) {
            tc_ep_close(ep);
            ep = core->first; /* others may have gone meanwhile */
        } else {
            ep = ep->next;
        }
    }
    tci_local_replies_forget(core->replies, group);
    tc_listener_close(group->listener);
    tci_group_free(group);
}
