/* A context's work for a group, beside the group's endpoints: makes and destroys it. */
#include "modules/calls/group_life.h"

#include "base/content_id.h"
#include "base/logger.h"
#include "base/sized_struct.h"
#include "context/closing.h"
#include "context/context_object.h"
#include "modules/calls/groups.h"
#include "modules/calls/calling_state.h"

#include <stdlib.h>

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

/* Closes the endpoints first: closing one progresses, and its frames refer to the group. */
void tc_group_destroy(tc_group *group)
{
    if (group == NULL)
        return;
    tci_core *core = group->core;
    if (tci_core_is_busy(core)) {
        TC_LOG(TC_LOG_ERROR, "tc_group_destroy was called %s; ignored",
               tci_core_is_forked(core) ? "in a fork" : "from inside an ifunc");
        return;
    }
    tci_closing_all(core->context, group, &group->ending);
    tci_local_replies_forget(&tci_calling_of(core)->replies, group);
    tc_listener_close(group->listener);
    tci_group_free(group);
}

/* --- from a list of listeners that all members know -------------------------------------- */

static uint32_t count_hosts(const char *hosts)
{
    uint32_t count = 1;
    for (const char *at = hosts; *at != 0 && count <= TC_GROUP_SIZE_MAX; at++)
        count += *at == ',';
    return count;
}

static void split_hosts(const char *hosts, tc_group_member *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t n = strcspn(hosts, ",");
        members[i] = (tc_group_member){hosts, n};
        hosts += n + (hosts[n] == ',');
    }
}

/* Returns the group's id: the same for all processes with the same list and the same secret. */
static uint64_t id_of(const char *hosts, const char *secret)
{
    uint8_t hashes[2][16];
    uint64_t value;
    tci_hash128(hosts, strlen(hosts), hashes[0]);
    tci_hash128(secret, strlen(secret), hashes[1]);
    if (*secret != '\0')
        tci_hash128(hashes, sizeof hashes, hashes[0]);
    memcpy(&value, hashes[0], sizeof value);
    return value != 0 ? value : 1;
}

static tc_status open_own(tc_context *ctx, const tc_group_member *own,
                          tc_listener **listener_out, tc_error *err)
{
    char host_port[300];
    if (own->size >= sizeof host_port)
        return tci_error_set(err, TC_E_INVALID, "group: an address of %zu bytes", own->size);
    memcpy(host_port, own->address, own->size);
    host_port[own->size] = 0;
    return tc_listener_open(ctx, host_port, listener_out, err);
}

tc_status tc_group_create_hosts(tc_context *ctx, const char *hosts, uint32_t rank,
                                tc_group **group_out, tc_error *err)
{
    uint32_t count = count_hosts(hosts);
    tc_listener *listener = NULL;
    tc_group *group;
    if (rank >= count || count > TC_GROUP_SIZE_MAX)
        return tci_error_set(err, TC_E_INVALID, "group: rank %u of a list of %u hosts", rank,
                             count);
    /* bound: TC_GROUP_SIZE_MAX */
    tc_group_member *members = calloc(count, sizeof *members);
    if (members == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    split_hosts(hosts, members, count);
    const tc_group_params params = {.id = id_of(hosts, ctx->core.options.group_secret),
                                    .rank = rank,
                                    .size = count,
                                    .members = members};
    tc_status status = open_own(ctx, &members[rank], &listener, err);
    if (status == TC_OK)
        status = tc_group_create(ctx, &params, &group, err);
    free(members);
    if (status != TC_OK) {
        tc_listener_close(listener);
        return status;
    }
    tci_group_life_keep_listener(group, listener);
    *group_out = group;
    return TC_OK;
}
