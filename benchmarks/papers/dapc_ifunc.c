/* The pointer chase by an ifunc that sends itself on. Client and servers are a group; the
 * client has the last rank. */
#include "dapc.h"
#include "ifuncs/return_result.h"
#include "perf_clock.h"
#include "perf_context.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tc/call.h>
#include <tc/group.h>

#define GROUP_ID 1u
#define ARCHIVE_MAX (1u << 20)
#define HOP_LIMIT "2000000" /* above any depth */
/* 64 servers on two processors, or a few that are emulated, may take that long for all to
 * meet. */
#define CONNECT_TIMEOUT "55s"
#define CONNECT_NS (55 * PERF_NS_PER_S)

typedef struct ifunc_state ifunc_state;

typedef struct ifunc_chase {
    ifunc_state *state;
    uint64_t address; /* the answer */
} ifunc_chase;

struct ifunc_state {
    dapc_series *series;
    tc_context *context;
    tc_listener *listener;
    tc_group *group;
    bool yields;
    bool by_ifunc; /* how results come home */
    chase_results results;
    /* The client's. */
    tc_ifunc *chaser;
    bool is_new; /* the servers have not seen the chaser */
    unsigned openings;
    tc_ep *servers[DAPC_SERVERS_MAX];
    ifunc_chase chases[DAPC_INFLIGHT_MAX];
};

static bool complain(const ifunc_state *state, const char *what, const tc_error *err)
{
    return perf_session_complain(state->series->session, "%s: %s: %s: %s",
                                 state->series->mode->name, what, tc_status_name(err->status),
                                 err->text);
}

static bool is_client(const dapc_series *series)
{
    return series->rank == series->server_count;
}

/* --- opening and closing -------------------------------------------------------------- */

static bool create_context(ifunc_state *state)
{
    const dapc_series *series = state->series;
    const perf_options *own = series->options;
    /* Code compiled by an earlier process is not new to a server. */
    const perf_setting settings[] = {
        {"ifunc_path", own->ifunc_path},
        {"form", series->mode->name},
        {"wait", state->yields ? NULL : series->wait},
        {"delivery", own->deliveries[0][0] != '\0' ? own->deliveries[0] : NULL},
        {"hop_limit", HOP_LIMIT},
        {"connect_timeout", CONNECT_TIMEOUT},
        {"cache_dir", strcmp(own->cache, "cold") == 0 ? "" : NULL}};
    tc_error err = {0};
    return perf_context_create(settings, sizeof settings / sizeof settings[0], &state->context,
                               &err) == TC_OK ||
           complain(state, "context", &err);
}

static void take_result(void *user, uint64_t slot, uint64_t address)
{
    const ifunc_state *state = user;
    dapc_client_done(state->series->client, (unsigned)slot, address);
}

static bool open_ifunc(dapc_series *series, dapc_blob *mine_out)
{
    tc_error err = {0};
    ifunc_state *state = series->state;
    state->series = series;
    state->yields = strcmp(series->wait, "yield") == 0;
    state->by_ifunc = strcmp(series->options->answer, "ifunc") == 0;
    state->results = (chase_results){take_result, state};
    for (unsigned i = 0; i < DAPC_INFLIGHT_MAX; i++)
        state->chases[i].state = state;
    if (!create_context(state))
        return false;
    tc_context_set_target_args(state->context, is_client(series) ? (void *)&state->results
                                                                 : (void *)&series->shard);
    if (tc_listener_open(state->context, "127.0.0.1:0", &state->listener, &err) != TC_OK)
        return complain(state, "listener", &err);
    mine_out->size = (uint32_t)snprintf((char *)mine_out->bytes, sizeof mine_out->bytes,
                                        "127.0.0.1:%u", tc_listener_port(state->listener));
    return true;
}

static bool connect_ifunc(dapc_series *series, const dapc_blob *blobs)
{
    ifunc_state *state = series->state;
    tc_error err = {0};
    tc_group_member members[DAPC_WORKERS_MAX];
    for (unsigned i = 0; i <= series->server_count; i++)
        members[i] = (tc_group_member){.address = blobs[i].bytes, .size = blobs[i].size};
    const tc_group_params params = {.id = GROUP_ID,
                                    .rank = series->rank,
                                    .size = series->server_count + 1,
                                    .members = members};
    if (tc_group_create(state->context, &params, &state->group, &err) != TC_OK)
        return complain(state, "group", &err);
    if (tc_group_connect(state->group, CONNECT_NS, &err) != TC_OK)
        return complain(state, "group", &err);
    for (unsigned i = 0; is_client(series) && i < series->server_count; i++) {
        if (tc_group_ep(state->group, i, &state->servers[i], &err) != TC_OK)
            return complain(state, "endpoint", &err);
    }
    return true;
}

static bool settle_ifunc(dapc_series *series)
{
    ifunc_state *state = series->state;
    tc_error err = {0};
    tc_ep *ep;
    for (unsigned i = 0; i <= series->server_count; i++) {
        if (i == series->rank)
            continue;
        if (tc_group_ep(state->group, i, &ep, &err) != TC_OK)
            return complain(state, "endpoint", &err);
        tc_status status = tc_ep_flush(ep, PERF_SILENCE_NS, NULL);
        if (status != TC_OK)
            return perf_session_complain(series->session, "%s: flush: %s", series->mode->name,
                                         tc_status_text(status));
    }
    return true;
}

static void close_ifunc(dapc_series *series)
{
    ifunc_state *state = series->state;
    if (state->chaser != NULL)
        tc_ifunc_close(state->chaser);
    tc_context_destroy(state->context); /* group and listener with it */
}

/* --- turns ---------------------------------------------------------------------------- */

static bool turn_ifunc(dapc_series *series)
{
    ifunc_state *state = series->state;
    if (state->yields) {
        if (tc_progress(state->context) == 0)
            (void)sched_yield();
        return true;
    }
    tc_status status = tc_wait(state->context, dapc_look_ns(series));
    return status == TC_OK || status == TC_E_TIMEOUT ||
           perf_session_complain(series->session, "%s: wait: %s", series->mode->name,
                                 tc_status_text(status));
}

/* --- the servers' knowledge ----------------------------------------------------------- */

static bool open_new(ifunc_state *state, const char *name)
{
    static unsigned char archive[ARCHIVE_MAX];
    tc_error err = {0};
    size_t size = perf_context_read_archive(state->series->options->ifunc_path, name, archive,
                                            sizeof archive);
    if (perf_context_open_new(state->context, archive, size, state->openings++, &state->chaser,
                              &err) != TC_OK)
        return complain(state, name, &err);
    state->is_new = true;
    return true;
}

static bool open_known(ifunc_state *state, const char *name)
{
    tc_error err = {0};
    if (tc_ifunc_open(state->context, name, &state->chaser, &err) != TC_OK)
        return complain(state, name, &err);
    for (unsigned i = 0; i < state->series->server_count; i++) {
        if (tc_ep_prepare(state->servers[i], state->chaser, PERF_SILENCE_NS, &err) != TC_OK)
            return complain(state, "prepare", &err);
    }
    return true;
}

static bool prepare_ifunc(dapc_series *series, bool known)
{
    ifunc_state *state = series->state;
    char name[64];
    language_function(series->language, state->by_ifunc ? "chase_return" : "chase_reply", name,
                      sizeof name);
    if (state->chaser != NULL)
        tc_ifunc_close(state->chaser);
    state->chaser = NULL;
    return known ? open_known(state, name) : open_new(state, name);
}

/* All servers begin to make the code callable, not each when the chase comes by. */
static bool send_ahead(ifunc_state *state)
{
    tc_error err = {0};
    state->is_new = false;
    for (unsigned i = 0; i < state->series->server_count; i++) {
        if (tc_ep_prepare(state->servers[i], state->chaser, 0, &err) != TC_OK)
            return complain(state, "prepare", &err);
    }
    return true;
}

/* --- chases --------------------------------------------------------------------------- */

static void answered(void *user, const tc_call_outcome *outcome)
{
    ifunc_chase *chase = user;
    ifunc_state *state = chase->state;
    if (outcome->status == TC_OK && outcome->result_size == sizeof chase->address) {
        dapc_client_done(state->series->client, (unsigned)(chase - state->chases),
                         chase->address);
        return;
    }
    (void)perf_session_complain(
        state->series->session, "%s: a chase ended with %s, %zu bytes: %s",
        state->series->mode->name, tc_status_name(outcome->status), outcome->result_size,
        outcome->text != NULL ? outcome->text : "");
    dapc_client_failed(state->series->client);
}

static tc_status call(ifunc_state *state, unsigned slot, tc_ep *ep, const dapc_step *step)
{
    ifunc_chase *chase = &state->chases[slot];
    const tc_call_params params = {.result = &chase->address,
                                   .result_capacity = sizeof chase->address,
                                   .timeout_ns = PERF_SILENCE_NS,
                                   .done = answered,
                                   .user = chase};
    return tc_call_start(ep, state->chaser, step, sizeof *step, &params, NULL, NULL);
}

static bool start_ifunc(dapc_series *series, unsigned slot, unsigned server,
                        const dapc_step *step)
{
    ifunc_state *state = series->state;
    const chase_request job = {.step = *step, .destination = series->rank, .slot = slot};
    if (state->is_new && !send_ahead(state))
        return false;
    tc_status status =
        state->by_ifunc ? tc_group_send(state->group, server, state->chaser, &job, sizeof job)
                        : call(state, slot, state->servers[server], step);
    return status == TC_OK || perf_session_complain(series->session, "%s: send: %s",
                                                    series->mode->name, tc_status_text(status));
}

/* A mode has the name of the form that its function takes. */
#define IFUNC_MODE(form)                                                                       \
    const dapc_mode dapc_mode_##form = {                                                       \
        .name = #form,                                                                         \
        .moves_code = true,                                                                    \
        .state_bytes = sizeof(ifunc_state),                                                    \
        .open = open_ifunc,                                                                    \
        .connect = connect_ifunc,                                                              \
        .turn = turn_ifunc,                                                                    \
        .settle = settle_ifunc,                                                                \
        .close = close_ifunc,                                                                  \
        .prepare = prepare_ifunc,                                                              \
        .start = start_ifunc,                                                                  \
    }

IFUNC_MODE(bitcode);
IFUNC_MODE(image);
