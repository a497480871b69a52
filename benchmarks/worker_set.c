#include "worker_set.h"

#include "perf_clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TARGET, FIRST_SOURCE };

static bool tell(perf_session *worker, uint32_t action, uint64_t count)
{
    return perf_session_command(worker, action, 0, count);
}

static bool hear(perf_session *worker, worker_answer *answer_out)
{
    size_t size;
    return perf_session_recv(worker, answer_out, sizeof *answer_out, &size) &&
           size == sizeof *answer_out && answer_out->ok;
}

static bool ask(perf_session *worker, uint32_t action, uint64_t count,
                worker_answer *answer_out)
{
    return tell(worker, action, count) && hear(worker, answer_out);
}

static unsigned threads_of(const worker_set *set)
{
    return set->config.threads > 0 ? set->config.threads : 1;
}

static bool fork_workers(worker_set *set)
{
    bool ok =
        perf_session_start(&set->sessions[TARGET], NULL, worker_steps_target, &set->config);
    set->started = 1;
    for (unsigned i = 0; ok && i < set->source_count; i++) {
        ok = perf_session_start(&set->sessions[FIRST_SOURCE + i], NULL, worker_steps_source,
                                &set->config);
        set->started++;
    }
    return ok;
}

bool worker_set_start(worker_set *set, unsigned source_count, const worker_config *config)
{
    worker_answer answer = {0};
    memset(set, 0, sizeof *set);
    set->config = *config;
    set->source_count = source_count;
    if (!fork_workers(set) || !ask(&set->sessions[TARGET], WORKER_OPEN, 0, &answer) ||
        !tell(&set->sessions[TARGET], WORKER_ACCEPT, source_count * threads_of(set)))
        return false;
    uint64_t port = answer.value;
    for (unsigned i = 0; i < source_count; i++) {
        if (!ask(&set->sessions[FIRST_SOURCE + i], WORKER_CONNECT, port, &answer))
            return false;
    }
    memcpy(set->delivery, answer.seen.delivery, sizeof set->delivery);
    return hear(&set->sessions[TARGET], &answer);
}

static bool begin_serving(worker_set *set, uint64_t expected)
{
    return tell(&set->sessions[TARGET], WORKER_SERVE, expected) &&
           perf_session_await_ready(&set->sessions[TARGET]);
}

static bool end_serving(worker_set *set, worker_answer *answer_out)
{
    perf_session_set_ended(&set->sessions[TARGET]);
    return hear(&set->sessions[TARGET], answer_out);
}

/* Sources close while the target still answers. */
static bool close_workers(worker_set *set)
{
    worker_answer answer;
    if (!begin_serving(set, 0))
        return false;
    for (unsigned i = 0; i < set->source_count; i++) {
        if (!ask(&set->sessions[FIRST_SOURCE + i], WORKER_CLOSE, 0, &answer))
            return false;
    }
    return end_serving(set, &answer) && ask(&set->sessions[TARGET], WORKER_CLOSE, 0, &answer);
}

bool worker_set_stop(worker_set *set)
{
    bool ok = set->started == set->source_count + 1 &&
              !perf_session_any_failed(set->sessions, set->started) && close_workers(set);
    if (!ok)
        perf_session_fail_all(set->sessions, set->started);
    ok = perf_session_end_all(set->sessions, set->started) && ok;
    set->started = 0;
    return ok;
}

/* Returns the messages of one source. */
static uint64_t share_of(const worker_set *set, uint64_t count)
{
    uint64_t share = count / (set->source_count * threads_of(set));
    return share > 0 ? share : 1;
}

static bool rate_begin(worker_set *set, uint64_t count)
{
    uint64_t share = share_of(set, count);
    if (!begin_serving(set, share * set->source_count * threads_of(set)))
        return false;
    for (unsigned i = 0; i < set->source_count; i++) {
        if (!tell(&set->sessions[FIRST_SOURCE + i], WORKER_SEND, share))
            return false;
    }
    return true;
}

static bool rate_end(worker_set *set, uint64_t *first_ns_out, uint64_t *last_ns_out)
{
    worker_answer answer;
    uint64_t first_ns = UINT64_MAX;
    for (unsigned i = 0; i < set->source_count; i++) {
        if (!hear(&set->sessions[FIRST_SOURCE + i], &answer))
            return false;
        first_ns = answer.value < first_ns ? answer.value : first_ns;
    }
    if (!end_serving(set, &answer))
        return false;
    *first_ns_out = first_ns;
    *last_ns_out = answer.seen.last_ns;
    return true;
}

bool worker_set_idle(worker_set *set, uint64_t duration_ns, double *cpu_pct_out)
{
    worker_answer answer;
    const struct timespec pause = {.tv_sec = (time_t)(duration_ns / PERF_NS_PER_S),
                                   .tv_nsec = (long)(duration_ns % PERF_NS_PER_S)};
    if (!begin_serving(set, 0))
        return false;
    (void)nanosleep(&pause, NULL);
    if (!end_serving(set, &answer))
        return false;
    *cpu_pct_out = answer.seen.cpu_pct;
    return true;
}

bool worker_set_wake(worker_set *set, uint64_t count, perf_tail *ns_out)
{
    worker_answer answer;
    if (!begin_serving(set, count) ||
        !ask(&set->sessions[FIRST_SOURCE], WORKER_WAKE, count, &answer) ||
        !end_serving(set, &answer))
        return false;
    *ns_out = answer.seen.wakeup_ns;
    return true;
}

bool worker_set_rate(worker_set *sets, unsigned set_count, uint64_t count, double *per_s_out)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0, messages = 0;
    for (unsigned i = 0; i < set_count; i++) {
        if (!rate_begin(&sets[i], count))
            return false;
        messages += share_of(&sets[i], count) * sets[i].source_count * threads_of(&sets[i]);
    }
    for (unsigned i = 0; i < set_count; i++) {
        uint64_t first, last;
        if (!rate_end(&sets[i], &first, &last))
            return false;
        first_ns = first < first_ns ? first : first_ns;
        last_ns = last > last_ns ? last : last_ns;
    }
    *per_s_out = (double)messages * (double)PERF_NS_PER_S / (double)(last_ns - first_ns);
    return true;
}
