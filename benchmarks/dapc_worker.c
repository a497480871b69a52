/* What a server or the client of the pointer chase does when told. */
#include "dapc.h"

#include <stdlib.h>
#include <string.h>

typedef struct worker {
    perf_session *session;
    const dapc_worker_config *config;
    dapc_client *client;
    dapc_lane lanes[DAPC_PLANS_MAX];
} worker;

static bool is_given_up(const worker *self)
{
    return atomic_load_explicit(&self->session->control->failed, memory_order_relaxed) != 0;
}

static bool open_lane(worker *self, unsigned index)
{
    const dapc_worker_config *config = self->config;
    dapc_lane *lane = &self->lanes[index];
    dapc_blob blob = {0};
    *lane = (dapc_lane){.mode = config->plans[index].mode,
                        .wait = config->plans[index].wait,
                        .options = config->options,
                        .session = self->session,
                        .table = config->table,
                        .rank = config->rank,
                        .server_count = config->table->servers,
                        .client = self->client};
    if (config->rank < config->table->servers)
        lane->shard = dapc_table_shard(config->table, config->rank);
    return lane->mode->open(lane, &blob) && perf_link_send(self->session, &blob, sizeof blob);
}

static bool serve_lane(worker *self, dapc_lane *lane)
{
    while (!perf_session_has_ended(self->session)) {
        if (is_given_up(self) || !lane->mode->turn(lane))
            return false;
    }
    return true;
}

/* Others may need this worker's progress for their own connections, so it goes on until all
 * are through. */
static bool connect_lane(worker *self, dapc_lane *lane)
{
    dapc_blob *blobs = calloc(DAPC_WORKERS_MAX, sizeof *blobs);
    size_t size;
    bool ok = blobs != NULL;
    for (unsigned i = 0; ok && i <= lane->server_count; i++)
        ok = perf_link_recv(self->session, &blobs[i], sizeof blobs[i], &size);
    ok = ok && lane->mode->connect(lane, blobs);
    free(blobs);
    if (!ok)
        return false;
    perf_session_set_ready(self->session);
    return serve_lane(self, lane);
}

static bool settle_lane(worker *self, dapc_lane *lane)
{
    if (lane->mode->settle != NULL && !lane->mode->settle(lane))
        return false;
    perf_session_set_ready(self->session);
    return serve_lane(self, lane);
}

static bool run_batch(worker *self, dapc_lane *lane, dapc_answer *answer)
{
    dapc_batch batch;
    size_t size;
    return perf_link_recv(self->session, &batch, sizeof batch, &size) &&
           dapc_client_run(lane, &batch, &answer->took_ns);
}

static bool do_step(worker *self, const perf_command *command, dapc_answer *answer)
{
    dapc_lane *lane = &self->lanes[command->lane];
    switch (command->action) {
    case DAPC_CONNECT:
        return connect_lane(self, lane);
    case DAPC_SERVE:
        perf_session_set_ready(self->session);
        return serve_lane(self, lane);
    case DAPC_PREPARE:
        return lane->mode->prepare(lane, command->count != 0);
    case DAPC_RUN:
        return run_batch(self, lane, answer);
    case DAPC_SETTLE:
        return settle_lane(self, lane);
    case DAPC_CLOSE:
        lane->mode->close(lane);
        return true;
    default:
        return perf_complain(self->session, "unknown step %u", command->action);
    }
}

static bool serve(worker *self)
{
    perf_command command;
    for (;;) {
        dapc_answer answer = {0};
        if (!perf_session_next(self->session, &command))
            return false;
        if (command.action == 0)
            return true;
        if (command.action == DAPC_OPEN) {
            if (!open_lane(self, command.lane))
                return false;
            continue;
        }
        answer.ok = do_step(self, &command, &answer);
        if (!perf_link_send(self->session, &answer, sizeof answer) || !answer.ok)
            return false;
    }
}

bool dapc_worker_serve(perf_session *session, void *config)
{
    worker self = {.session = session, .config = config};
    if (self.config->rank == self.config->table->servers) {
        session->role = PERF_SOURCE;
        self.client = dapc_client_create();
        if (self.client == NULL)
            return perf_complain(session, "out of memory");
    }
    bool ok = serve(&self);
    for (unsigned i = 0; i < self.config->plan_count; i++) {
        if (!ok && self.lanes[i].mode != NULL)
            self.lanes[i].mode->close(&self.lanes[i]);
    }
    dapc_client_destroy(self.client);
    return ok;
}
