/* Creates groups and keeps their members' addresses. */
#include "modules/calls/groups.h"

#include "base/assertion.h"
#include "base/cursor.h"
#include "base/logger.h"
#include "base/sized_struct.h"
#include "modules/calls/group_news.h"
#include "modules/calls/member.h"
#include "modules/calls/calling_state.h"

#include <stdlib.h>

bool tci_group_is_address(const void *address, size_t size)
{
    tci_reader r;
    tci_reader_init(&r, address, size);
    return tci_read_u32(&r) == TCI_HELLO_MAGIC && !r.failed;
}

static tci_groups *groups_of(const tci_core *core)
{
    return &tci_calling_of(core)->groups;
}

tc_group *tci_group_find(tci_core *core, uint64_t id)
{
    tc_group *group = groups_of(core)->first;
    while (group != NULL && group->id != id)
        group = group->next;
    return group;
}

uint32_t tc_group_rank(const tc_group *group)
{
    return group->rank;
}

uint32_t tc_group_size(const tc_group *group)
{
    return group->size;
}

uint64_t tc_group_id(const tc_group *group)
{
    return group->id;
}

tc_context *tc_group_context(const tc_group *group)
{
    return group->core->context;
}

const char *tci_group_member_text(const tc_group *group, uint32_t rank)
{
    const tci_member *m = &group->members[rank];
    return tci_group_is_address(m->address, m->size) ? "by address" : m->address;
}

/* --- making ------------------------------------------------------------------------------ */

static void free_group(tc_group *group)
{
    for (uint32_t i = 0; group->members != NULL && i < group->size; i++) {
        free(group->members[i].address);
        free(group->members[i].error);
    }
    free(group->members);
    free(group->programs);
    free(group);
}

static tc_status check_member(tci_core *core, uint32_t rank, const tc_group_member *m,
                              tc_error *err)
{
    tci_hello theirs;
    if (tci_group_is_address(m->address, m->size)) {
        tc_status status =
            tci_hello_decode(m->address, m->size, TCI_HELLO_ADDRESS, &theirs, err);
        if (status == TC_OK)
            status = tci_hello_compatible(&core->self, &theirs, err);
        return status;
    }
    if (m->size == 0 || m->size > 300 || memchr(m->address, 0, m->size) != NULL ||
        memchr(m->address, ':', m->size) == NULL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "address of rank %u: %zu bytes, expected \"host:port\" or what "
                             "tc_context_address gives",
                             rank, m->size);
    return TC_OK;
}

static tc_status copy_member(tc_group *group, uint32_t rank, const void *given,
                             size_t given_size, tc_error *err)
{
    tci_member *m = &group->members[rank];
    tc_group_member from;
    TC_TRY(tci_sized_struct_read(&from, sizeof from, given, given_size, err));
    /* This side uses its own address, not the one that others use; without UCX it has none. */
    if (rank == group->rank && group->core->own_address_size > 0)
        from = (tc_group_member){group->core->own_address, group->core->own_address_size};
    tc_status status = check_member(group->core, rank, &from, err);
    if (status != TC_OK) {
        if (err != NULL)
            tci_error_prefix(err, "group");
        return status;
    }
    m->address = malloc(from.size + 1);
    if (m->address == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    memcpy(m->address, from.address, from.size);
    m->address[from.size] = 0;
    m->size = from.size;
    return TC_OK;
}

static unsigned count_groups(const tci_core *core)
{
    unsigned count = 0;
    for (const tc_group *group = groups_of(core)->first; group != NULL; group = group->next)
        count++;
    return count;
}

static tc_status check_params(tci_core *core, const tc_group_params *params, tc_error *err)
{
    if (params->id == 0 || params->size == 0 || params->size > TC_GROUP_SIZE_MAX ||
        params->rank >= params->size)
        return tci_error_set(err, TC_E_INVALID,
                             "group %llu: rank %u of %u, expected a rank below a size of 1 to "
                             "%u and an id that is not 0",
                             (unsigned long long)params->id, params->rank, params->size,
                             TC_GROUP_SIZE_MAX);
    if (tci_group_find(core, params->id) != NULL)
        return tci_error_set(err, TC_E_INVALID, "group %llu is there already",
                             (unsigned long long)params->id);
    if (count_groups(core) == TCI_GROUPS_MAX)
        return tci_error_set(
            err, TC_E_TOO_LARGE,
            "group %llu would be number %u of this context, expected %u at most",
            (unsigned long long)params->id, TCI_GROUPS_MAX + 1, TCI_GROUPS_MAX);
    return TC_OK;
}

tc_status tci_group_create(tci_core *core, const tc_group_params *params, size_t member_size,
                           tc_group **group_out, tc_error *err)
{
    TC_TRY(check_params(core, params, err));
    tc_group *group = calloc(1, sizeof *group);
    if (group != NULL)
        group->members = /* bound: TC_GROUP_SIZE_MAX */
            calloc(params->size, sizeof *group->members);
    if (group == NULL || group->members == NULL) {
        free(group);
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    }
    group->core = core;
    group->id = params->id;
    group->rank = params->rank;
    group->size = params->size;
    tc_status status = TC_OK;
    for (uint32_t i = 0; i < group->size && status == TC_OK; i++)
        status = copy_member(group, i, (const char *)params->members + i * member_size,
                             member_size, err);
    if (status != TC_OK) {
        free_group(group);
        return status;
    }
    TCI_INVARIANT(group_list, tci_group_find(core, group->id) == NULL);
    TCI_INVARIANT_IS(group_rank, group->rank, <, group->size);
    group->next = groups_of(core)->first;
    groups_of(core)->first = group;
    tci_member_adopt(group);
    *group_out = group;
    return TC_OK;
}

/* Called after all endpoints of the group were freed. */
void tci_group_free(tc_group *group)
{
    tc_group **link = &groups_of(group->core)->first;
    while (*link != group) {
        TCI_INVARIANT(group_list, *link != NULL);
        link = &(*link)->next;
    }
    *link = group->next;
    tci_group_job_leave(groups_of(group->core), group->job);
    tci_group_news_end(group);
    free_group(group);
}

void tci_groups_free(tci_groups *groups)
{
    while (groups->first != NULL)
        tci_group_free(groups->first);
}

/* --- failures ---------------------------------------------------------------------------- */

uint64_t tc_group_failures(const tc_group *group, tc_error *err)
{
    if (group->failures > 0 && err != NULL)
        *err = group->failure;
    return group->failures;
}

void tci_group_note_failure(tc_group *group, tc_status status, const uint8_t *text, size_t size)
{
    group->failures++;
    tci_error_set(&group->failure, status, "%.*s", (int)(size < 512 ? size : 512),
                  (const char *)text);
    TC_LOG_RATIONED(&group->core->log, TC_LOG_WARN, "group: %s", group->failure.text);
}
