/* Groups and their endpoints, made when they are first needed. */
#include "group_private.h"

#include "base/clock.h"
#include "base/logger.h"
#include "rpc/answer.h"
#include "endpoint/handshake.h"

#include <stdlib.h>

#define RETRY_NS 20000000ull

static bool is_address_message(const tc_group_member *m)
{
    return m->size >= 4 && memcmp(m->address, "TCHI", 4) == 0;
}

tc_group *tci_group_find(tci_core *core, uint64_t id)
{
    tc_group *group = core->groups;
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
    return (tc_context *)(void *)group->core;
}

const char *tci_member_text(const tc_group *group, uint32_t rank)
{
    const tci_member *m = &group->members[rank];
    const tc_group_member from = {m->address, m->size};
    return is_address_message(&from) ? "by address" : m->address;
}

/* --- making --------------------------------------------------------------------------------
 */

static void free_group(tc_group *group)
{
    for (uint32_t i = 0; group->members != NULL && i < group->size; i++) {
        free(group->members[i].address);
        free(group->members[i].error);
    }
    free(group->members);
    free(group);
}

static tc_status check_member(tci_core *core, uint32_t rank, const tc_group_member *m,
                              tc_error *err)
{
    tci_hello theirs;
    if (is_address_message(m)) {
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

static tc_status copy_member(tc_group *group, uint32_t rank, const tc_group_member *from,
                             tc_error *err)
{
    tci_member *m = &group->members[rank];
    tc_group_member own;
    if (rank == group->rank) { /* itself, whatever others reach it by */
        own = (tc_group_member){group->core->own_address, group->core->own_address_size};
        from = &own;
    }
    tc_status status = check_member(group->core, rank, from, err);
    if (status != TC_OK) {
        if (err != NULL)
            tci_error_prefix(err, "group");
        return status;
    }
    m->address = malloc(from->size + 1);
    if (m->address == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    memcpy(m->address, from->address, from->size);
    m->address[from->size] = 0;
    m->size = from->size;
    return TC_OK;
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
    return TC_OK;
}

tc_status tc_group_create(tc_context *ctx, const tc_group_params *params, tc_group **group_out,
                          tc_error *err)
{
    tci_core *core = (tci_core *)(void *)ctx;
    TC_TRY(check_params(core, params, err));
    tc_group *group = calloc(1, sizeof *group);
    if (group != NULL)
        group->members = calloc(params->size, sizeof *group->members);
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
        status = copy_member(group, i, &params->members[i], err);
    if (status != TC_OK) {
        free_group(group);
        return status;
    }
    group->next = core->groups;
    core->groups = group;
    tci_group_adopt(group);
    *group_out = group;
    return TC_OK;
}

void tci_group_keep_listener(tc_group *group, tc_listener *listener)
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
        if (ep->group == group) {
            tc_ep_close(ep);
            ep = core->first; /* others may have gone meanwhile */
        } else {
            ep = ep->next;
        }
    }
    tc_group **link = &core->groups;
    while (*link != group)
        link = &(*link)->next;
    *link = group->next;
    tci_answers_forget(core, group);
    tc_listener_close(group->listener);
    free_group(group);
}

void tci_groups_free(tci_core *core)
{
    while (core->groups != NULL) {
        tc_group *group = core->groups;
        core->groups = group->next;
        free_group(group);
    }
}

/* --- endpoints -----------------------------------------------------------------------------
 */

/* A member that is not there yet is tried again until the endpoint's deadline. */
static tc_status start_stream(tc_ep *ep, tc_error *err)
{
    const tci_member *m = &ep->group->members[ep->rank];
    ep->state = TCI_EP_CONNECTING;
    tc_status status = tci_stream_connect_start(m->address, &ep->stream, err);
    if (status != TC_OK)
        ep->stream = NULL;
    if (status != TC_E_UNREACHABLE)
        return status;
    ep->retry_ns = tci_deadline_after(RETRY_NS);
    return TC_OK;
}

void tci_group_retry(tc_ep *ep, uint64_t now_ns)
{
    tc_error error;
    if (ep->stream != NULL) { /* that just failed */
        tci_stream_close(ep->stream);
        ep->stream = NULL;
        ep->retry_ns = now_ns + RETRY_NS;
    }
    if (now_ns >= ep->retry_ns && start_stream(ep, &error) != TC_OK)
        tci_ep_fail(ep, &error);
}

static tc_status start_link(tc_ep *ep, const tci_member *m, tc_error *err)
{
    tci_hello theirs;
    TC_TRY(tci_hello_decode(m->address, m->size, TCI_HELLO_ADDRESS, &theirs, err));
    TC_TRY(tci_link_open(ep->core->worker, theirs.worker_address.data, &ep->link, err));
    return tci_handshake_greet(ep, err);
}

static tc_status connect_member(tc_group *group, uint32_t rank, tc_error *err)
{
    tci_member *m = &group->members[rank];
    const tc_group_member from = {m->address, m->size};
    tc_ep *ep;
    TC_TRY(tci_ep_create(group->core, true, &ep, err));
    ep->deadline_ns = tci_deadline_after(group->core->options.connect_timeout);
    ep->group = group;
    ep->rank = rank;
    ep->unconfirmed = true;
    tc_status status =
        is_address_message(&from) ? start_link(ep, m, err) : start_stream(ep, err);
    if (status != TC_OK) {
        ep->group = NULL;
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
    tci_member *m = &group->members[rank];
    if (m->ep != NULL && m->ep->state >= TCI_EP_CLOSED)
        m->ep = NULL; /* its end is announced by the next tc_progress */
    if (m->ep == NULL)
        TC_TRY(connect_member(group, rank, err));
    *ep_out = m->ep;
    return TC_OK;
}

tc_status tc_group_send(tc_group *group, uint32_t rank, tc_ifunc *fn, const void *source_args,
                        size_t size)
{
    tc_ep *ep;
    TC_TRY(tc_group_ep(group, rank, &ep, NULL));
    return tc_send(ep, fn, source_args, size);
}

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
    TC_LOG(TC_LOG_WARN, "group: %s", group->failure.text);
}
