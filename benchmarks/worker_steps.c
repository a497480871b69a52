#include "worker_set.h"

#include "ifuncs/wakeup.h"
#include "perf_clock.h"
#include "perf_context.h"
#include "perf_stats.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

#define LOOK_UP_NS (100 * PERF_NS_PER_MS) /* how soon a target sees the end of its step */
#define MISSES_PER_YIELD 256u
#define PAUSE_MIN_NS 1e6
#define PAUSE_MAX_NS 20e6

typedef struct worker {
    perf_session *session;
    const worker_config *config;
    tc_context *context;
    tc_listener *listener; /* target */
    unsigned peers;        /* target */
    tc_ep *peer;           /* source */
    tc_ifunc *count_fn;    /* source */
    tc_ifunc *wakeup_fn;   /* source */
    unsigned char *payload;
    wakeup_target seen;
} worker;

static unsigned threads_of(const worker *self)
{
    return self->config->threads > 0 ? self->config->threads : 1;
}

static void endpoint_changed(void *user, tc_ep *ep, tc_ep_event event)
{
    worker *self = user;
    (void)ep;
    if (event == TC_EP_OPENED)
        self->peers++;
    else
        self->peers--;
}

static bool create_context(worker *self)
{
    const perf_setting settings[] = {{"ifunc_path", self->config->path},
                                     {"delivery", self->config->delivery},
                                     {"wait", self->config->policy}};
    tc_error err = {0};
    if (perf_context_create(settings, sizeof settings / sizeof settings[0], &self->context,
                            &err) != TC_OK)
        return perf_context_complain(self->session, "context", &err);
    tc_context_set_target_args(self->context, &self->seen);
    return true;
}

static bool open_target(worker *self, worker_answer *answer)
{
    if (!create_context(self))
        return false;
    tc_context_set_ep_callback(self->context, endpoint_changed, self);
    if (!perf_context_listen(self->session, self->context, &self->listener))
        return false;
    answer->value = tc_listener_port(self->listener);
    return true;
}

static bool accept_peers(worker *self, uint64_t count)
{
    uint64_t deadline_ns = perf_now_ns() + PERF_SILENCE_NS;
    while (self->peers < count) {
        if (tc_wait(self->context, LOOK_UP_NS) != TC_OK && perf_now_ns() > deadline_ns)
            return perf_session_complain(self->session, "%u of %llu sources came", self->peers,
                                         (unsigned long long)count);
    }
    return true;
}

static bool connect_target(worker *self, uint64_t port, worker_answer *answer)
{
    tc_error err = {0};
    self->payload = calloc(1, self->config->payload_bytes);
    if (self->payload == NULL)
        return perf_session_complain(self->session, "out of memory");
    if (!create_context(self))
        return false;
    if (tc_ifunc_open(self->context, "tsi", &self->count_fn, &err) != TC_OK ||
        tc_ifunc_open(self->context, "wakeup", &self->wakeup_fn, &err) != TC_OK)
        return perf_context_complain(self->session, "function", &err);
    if (!perf_context_connect(self->session, self->context, (unsigned)port, &self->peer))
        return false;
    perf_context_delivery(self->peer, answer->seen.delivery, NULL);
    return true;
}

static uint64_t cpu_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * PERF_NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool serve_step(worker *self, uint64_t expected, worker_answer *answer)
{
    uint64_t start_ns = perf_now_ns(), start_cpu_ns = cpu_time_ns();
    worker_seen *seen = &answer->seen;
    self->seen.counter = self->seen.samples = 0;
    perf_session_set_ready(self->session);
    while (!perf_session_has_ended(self->session)) {
        if (perf_session_has_failed(self->session))
            return false;
        tc_status status = tc_wait(self->context, LOOK_UP_NS);
        if (status != TC_OK && status != TC_E_TIMEOUT)
            return perf_session_complain(self->session, "wait: %s", tc_status_text(status));
        if (seen->last_ns == 0 && self->seen.counter >= expected)
            seen->last_ns = perf_now_ns();
    }
    seen->cpu_pct =
        100.0 * (double)(cpu_time_ns() - start_cpu_ns) / (double)(perf_now_ns() - start_ns);
    if (self->seen.counter != expected)
        return perf_session_complain(self->session, "%llu of %llu messages ran",
                                     (unsigned long long)self->seen.counter,
                                     (unsigned long long)expected);
    if (self->seen.samples > 0)
        seen->wakeup_ns = perf_stats_tail(self->seen.took_ns, self->seen.samples);
    return true;
}

static bool flush(worker *self)
{
    tc_status status = tc_ep_flush(self->peer, PERF_SILENCE_NS, NULL);
    return status == TC_OK ||
           perf_session_complain(self->session, "flush: %s", tc_status_text(status));
}

/* A source with a full ring gives its processor up soon: with more processes than processors it
 * may be the one that the target waits for. */
static bool send_one(worker *self)
{
    tc_status status;
    unsigned misses = 0;
    while ((status = tc_send(self->peer, self->count_fn, self->payload,
                             self->config->payload_bytes)) == TC_E_AGAIN) {
        if (tc_progress(self->context) != 0 || ++misses % MISSES_PER_YIELD != 0)
            continue;
        if (perf_session_has_failed(self->session))
            return false;
        (void)sched_yield();
    }
    return status == TC_OK ||
           perf_session_complain(self->session, "send: %s", tc_status_text(status));
}

static bool send_many(worker *self, uint64_t count, worker_answer *answer)
{
    answer->value = perf_now_ns();
    for (uint64_t i = 0; i < count; i++) {
        if (!send_one(self))
            return false;
    }
    return flush(self);
}

/* --- several threads ---------------------------------------------------------------------- */

typedef struct sender {
    pthread_t thread;
    worker *self;
    uint64_t count;
    bool ok;
} sender;

static void *run_sender(void *arg)
{
    sender *s = arg;
    worker_answer none;
    s->ok = send_many(s->self, s->count, &none);
    return NULL;
}

/* Every thread sends `count` messages. The calling one is the first of them. */
static bool send_all(worker *selves, uint64_t count, worker_answer *answer)
{
    sender senders[WORKER_SOURCES_MAX];
    const unsigned threads = threads_of(selves);
    unsigned started = 1;
    bool ok = true;
    answer->value = perf_now_ns();
    for (; ok && started < threads; started += ok) {
        senders[started] = (sender){.self = &selves[started], .count = count};
        ok = pthread_create(&senders[started].thread, NULL, run_sender, &senders[started]) == 0;
    }
    if (!ok)
        ok = perf_session_complain(selves->session, "thread %u was not started", started);
    senders[0] = (sender){.self = selves, .count = count};
    (void)run_sender(&senders[0]);
    ok = senders[0].ok && ok;
    for (unsigned i = 1; i < started; i++) {
        (void)pthread_join(senders[i].thread, NULL);
        ok = senders[i].ok && ok;
    }
    return ok;
}

static bool connect_all(worker *selves, uint64_t port, worker_answer *answer)
{
    for (unsigned i = 0; i < threads_of(selves); i++) {
        selves[i].session = selves->session;
        selves[i].config = selves->config;
        if (!connect_target(&selves[i], port, answer))
            return false;
    }
    return true;
}

/* --- steps -------------------------------------------------------------------------------- */

static bool send_with_pauses(worker *self, uint64_t count)
{
    struct drand48_data random;
    double part;
    (void)srand48_r(1, &random);
    for (uint64_t i = 0; i < count; i++) {
        (void)drand48_r(&random, &part);
        const struct timespec pause = {
            .tv_nsec = (long)(PAUSE_MIN_NS + part * (PAUSE_MAX_NS - PAUSE_MIN_NS))};
        (void)nanosleep(&pause, NULL);
        uint64_t now_ns = perf_now_ns();
        tc_status status = tc_send(self->peer, self->wakeup_fn, &now_ns, sizeof now_ns);
        if (status != TC_OK)
            return perf_session_complain(self->session, "send: %s", tc_status_text(status));
        if (!flush(self))
            return false;
    }
    return true;
}

static void close_worker(worker *self)
{
    if (self->peer != NULL)
        tc_ep_close(self->peer);
    tc_context_destroy(self->context);
    free(self->payload);
    self->context = NULL;
    self->peer = NULL;
    self->payload = NULL;
}

/* `self` is the first of a source's threads. */
static bool do_step(worker *self, const perf_command *command, worker_answer *answer)
{
    switch (command->action) {
    case WORKER_OPEN:
        return open_target(self, answer);
    case WORKER_ACCEPT:
        return accept_peers(self, command->count);
    case WORKER_CONNECT:
        return connect_all(self, command->count, answer);
    case WORKER_SERVE:
        return serve_step(self, command->count, answer);
    case WORKER_SEND:
        return send_all(self, command->count, answer);
    case WORKER_WAKE:
        return send_with_pauses(self, command->count);
    case WORKER_CLOSE:
        for (unsigned i = 0; i < threads_of(self); i++)
            close_worker(&self[i]);
        return true;
    default:
        return perf_session_complain(self->session, "unknown step %u", command->action);
    }
}

static bool serve(perf_session *session, void *config)
{
    static worker selves[WORKER_SOURCES_MAX];
    perf_command command;
    selves[0].session = session;
    selves[0].config = config;
    for (;;) {
        worker_answer answer = {0};
        if (!perf_session_next(session, &command))
            return false;
        if (command.action == 0)
            return true;
        answer.ok = do_step(selves, &command, &answer);
        if (!perf_session_send(session, &answer, sizeof answer) || !answer.ok)
            return false;
    }
}

bool worker_steps_target(perf_session *session, void *config)
{
    return serve(session, config);
}

bool worker_steps_source(perf_session *session, void *config)
{
    session->role = PERF_SOURCE;
    return serve(session, config);
}
