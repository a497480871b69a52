/* The commands of a server or the client of the pointer chase. */
#include "dapc.h"

#include <stdlib.h>
#include <string.h>

typedef struct worker {
    perf_session *session;
    const dapc_worker_config *config;
    dapc_client *client;
    dapc_series series[DAPC_PLANS_MAX];
} worker;

static const dapc_mode *const modes[] = {&dapc_mode_get, &dapc_mode_am, &dapc_mode_am_safe,
                                         &dapc_mode_bitcode, &dapc_mode_image};

const dapc_mode *dapc_mode_find(const char *name)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i]->name, name) == 0)
            return modes[i];
    }
    return NULL;
}

static void close_series(dapc_series *series)
{
    if (series->state != NULL)
        series->mode->close(series);
    free(series->state);
    series->state = NULL;
}

static bool open_series(worker *self, unsigned index)
{
    const dapc_worker_config *config = self->config;
    dapc_series *series = &self->series[index];
    dapc_blob blob = {0};
    *series = (dapc_series){.mode = config->plans[index].mode,
                            .wait = config->plans[index].wait,
                            .language = config->plans[index].language,
                            .options = config->options,
                            .session = self->session,
                            .table = config->table,
                            .rank = config->rank,
                            .server_count = config->table->servers,
                            .client = self->client};
    if (config->rank < config->table->servers)
        series->shard = dapc_table_shard(config->table, config->rank);
    series->state = calloc(1, series->mode->state_bytes);
    if (series->state == NULL)
        return perf_session_complain(self->session, "out of memory");
    return series->mode->open(series, &blob) &&
           perf_session_send(self->session, &blob, sizeof blob);
}

static bool serve_series(worker *self, dapc_series *series)
{
    while (!perf_session_has_ended(self->session)) {
        if (perf_session_has_failed(self->session) || !series->mode->turn(series))
            return false;
    }
    return true;
}

/* Others may need this worker's progress for their own connections, so it goes on until all
 * are through. */
static bool connect_series(worker *self, dapc_series *series)
{
    dapc_blob *blobs = calloc(DAPC_WORKERS_MAX, sizeof *blobs);
    size_t size;
    bool ok = blobs != NULL;
    for (unsigned i = 0; ok && i <= series->server_count; i++)
        ok = perf_session_recv(self->session, &blobs[i], sizeof blobs[i], &size);
    ok = ok && series->mode->connect(series, blobs);
    free(blobs);
    if (!ok)
        return false;
    perf_session_set_ready(self->session);
    return serve_series(self, series);
}

static bool settle_series(worker *self, dapc_series *series)
{
    if (series->mode->settle != NULL && !series->mode->settle(series))
        return false;
    perf_session_set_ready(self->session);
    return serve_series(self, series);
}

static bool run_batch(worker *self, dapc_series *series, dapc_answer *answer)
{
    dapc_batch batch;
    size_t size;
    return perf_session_recv(self->session, &batch, sizeof batch, &size) &&
           dapc_client_run(series, &batch, &answer->took_ns);
}

static bool do_step(worker *self, const perf_command *command, dapc_answer *answer)
{
    dapc_series *series = &self->series[command->series];
    switch (command->action) {
    case DAPC_CONNECT:
        return connect_series(self, series);
    case DAPC_SERVE:
        perf_session_set_ready(self->session);
        return serve_series(self, series);
    case DAPC_PREPARE:
        return series->mode->prepare(series, command->count != 0);
    case DAPC_RUN:
        return run_batch(self, series, answer);
    case DAPC_SETTLE:
        return settle_series(self, series);
    case DAPC_CLOSE:
        close_series(series);
        return true;
    default:
        return perf_session_complain(self->session, "unknown step %u", command->action);
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
            if (!open_series(self, command.series))
                return false;
            continue;
        }
        answer.ok = do_step(self, &command, &answer);
        if (!perf_session_send(self->session, &answer, sizeof answer) || !answer.ok)
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
            return perf_session_complain(session, "out of memory");
    }
    bool ok = serve(&self);
    for (unsigned i = 0; i < self.config->plan_count; i++) {
        if (!ok)
            close_series(&self.series[i]);
    }
    dapc_client_destroy(self.client);
    return ok;
}
