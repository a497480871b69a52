#include "dapc_crew.h"

#include "perf_clock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 100

static perf_session *client_of(dapc_crew *crew)
{
    return &crew->members[crew->server_count];
}

static bool tell(perf_session *member, uint32_t action, unsigned lane, uint64_t count)
{
    const perf_command command = {.action = action, .lane = lane, .count = count};
    return perf_session_command(member, &command);
}

static bool tell_members(dapc_crew *crew, unsigned count, uint32_t action, unsigned lane)
{
    for (unsigned i = 0; i < count; i++) {
        if (!tell(&crew->members[i], action, lane, 0))
            return false;
    }
    return true;
}

static bool anyone_failed(const dapc_crew *crew)
{
    bool failed = false;
    for (unsigned i = 0; i < crew->started; i++) {
        const perf_session *member = &crew->members[i];
        failed =
            failed || member->control == NULL || atomic_load(&member->control->failed) != 0;
    }
    return failed;
}

/* One member's complaint ends everybody's wait. */
static void give_up(dapc_crew *crew)
{
    for (unsigned i = 0; i < crew->started; i++) {
        if (crew->members[i].control != NULL)
            atomic_store(&crew->members[i].control->failed, 1);
    }
}

/* A member that says nothing may be waiting for another that has failed. */
static bool hear_bytes(dapc_crew *crew, perf_session *member, void *bytes, size_t size)
{
    struct pollfd wait = {.fd = member->link_fd, .events = POLLIN};
    size_t got;
    while (poll(&wait, 1, LOOK_MS) == 0) {
        if (anyone_failed(crew)) {
            give_up(crew);
            return false;
        }
    }
    return perf_link_recv(member, bytes, size, &got) && got == size;
}

static bool hear(dapc_crew *crew, perf_session *member, dapc_answer *answer_out)
{
    return hear_bytes(crew, member, answer_out, sizeof *answer_out) && answer_out->ok;
}

static bool hear_members(dapc_crew *crew, unsigned count)
{
    dapc_answer answer;
    for (unsigned i = 0; i < count; i++) {
        if (!hear(crew, &crew->members[i], &answer))
            return false;
    }
    return true;
}

bool dapc_crew_start(dapc_crew *crew, const perf_options *options, unsigned server_count,
                     const dapc_plan *plans, unsigned plan_count)
{
    static const int anywhere[2] = {-1, -1};
    bool ok = true;
    memset(crew, 0, sizeof *crew);
    crew->server_count = server_count;
    if (!dapc_table_make(&crew->table, server_count)) {
        (void)fprintf(stderr, "tc-perf: out of memory\n");
        return false;
    }
    for (unsigned i = 0; ok && i <= server_count; i++) {
        crew->configs[i] = (dapc_member_config){.options = options,
                                                .table = &crew->table,
                                                .plans = plans,
                                                .plan_count = plan_count,
                                                .rank = i};
        ok = perf_session_start(&crew->members[i], anywhere, dapc_member_serve,
                                &crew->configs[i]);
        crew->started++;
    }
    return ok;
}

bool dapc_crew_stop(dapc_crew *crew)
{
    bool ok = crew->started == crew->server_count + 1 && !anyone_failed(crew);
    if (!ok)
        give_up(crew);
    for (unsigned i = crew->started; i-- > 0;)
        ok = perf_session_end(&crew->members[i]) && ok;
    crew->started = 0;
    dapc_table_free(&crew->table);
    return ok;
}

static void end_steps(dapc_crew *crew, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        perf_session_set_ended(&crew->members[i]);
}

static bool await_ready(dapc_crew *crew, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        perf_session *member = &crew->members[i];
        while (atomic_load_explicit(&member->control->ready, memory_order_acquire) !=
               member->step) {
            if (anyone_failed(crew)) {
                give_up(crew);
                return false;
            }
            (void)poll(NULL, 0, 1); /* the processors are the members' */
        }
    }
    return true;
}

static bool exchange_blobs(dapc_crew *crew, unsigned lane, unsigned count)
{
    dapc_blob *blobs = calloc(count, sizeof *blobs);
    bool ok = blobs != NULL;
    for (unsigned i = 0; ok && i < count; i++)
        ok = hear_bytes(crew, &crew->members[i], &blobs[i], sizeof blobs[i]);
    for (unsigned i = 0; ok && i < count; i++) {
        ok = tell(&crew->members[i], DAPC_CONNECT, lane, 0);
        for (unsigned k = 0; ok && k < count; k++)
            ok = perf_link_send(&crew->members[i], &blobs[k], sizeof blobs[k]);
    }
    free(blobs);
    return ok;
}

bool dapc_crew_open(dapc_crew *crew, unsigned lane)
{
    unsigned count = crew->server_count + 1;
    if (!tell_members(crew, count, DAPC_OPEN, lane) || !exchange_blobs(crew, lane, count) ||
        !await_ready(crew, count))
        return false;
    end_steps(crew, count);
    return hear_members(crew, count);
}

/* Nobody leaves while another may still wait for its word; then all at once, since who closes
 * may need the others' progress. */
bool dapc_crew_close(dapc_crew *crew, unsigned lane)
{
    unsigned count = crew->server_count + 1;
    if (!tell_members(crew, count, DAPC_SETTLE, lane) || !await_ready(crew, count))
        return false;
    end_steps(crew, count);
    return hear_members(crew, count) && tell_members(crew, count, DAPC_CLOSE, lane) &&
           hear_members(crew, count);
}

bool dapc_crew_begin(dapc_crew *crew, unsigned lane)
{
    return tell_members(crew, crew->server_count, DAPC_SERVE, lane) &&
           await_ready(crew, crew->server_count);
}

bool dapc_crew_end(dapc_crew *crew)
{
    end_steps(crew, crew->server_count);
    return hear_members(crew, crew->server_count);
}

bool dapc_crew_prepare(dapc_crew *crew, unsigned lane, bool known)
{
    dapc_answer answer;
    return tell(client_of(crew), DAPC_PREPARE, lane, known) &&
           hear(crew, client_of(crew), &answer);
}

bool dapc_crew_run(dapc_crew *crew, unsigned lane, const dapc_batch *batch,
                   uint64_t *took_ns_out)
{
    dapc_answer answer;
    if (!tell(client_of(crew), DAPC_RUN, lane, 0) ||
        !perf_link_send(client_of(crew), batch, sizeof *batch) ||
        !hear(crew, client_of(crew), &answer))
        return false;
    *took_ns_out = answer.took_ns;
    return true;
}
