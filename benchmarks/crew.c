#include "crew.h"

#include "crew_member.h"
#include "perf_clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static bool tell(perf_session *member, uint32_t action, uint64_t count)
{
    const perf_command command = {.action = action, .count = count};
    return perf_session_command(member, &command);
}

static bool hear(perf_session *member, crew_answer *answer_out)
{
    size_t size;
    return perf_link_recv(member, answer_out, sizeof *answer_out, &size) &&
           size == sizeof *answer_out && answer_out->ok;
}

static bool ask(perf_session *member, uint32_t action, uint64_t count, crew_answer *answer_out)
{
    return tell(member, action, count) && hear(member, answer_out);
}

static bool fork_members(perf_crew *crew)
{
    static const int anywhere[2] = {-1, -1};
    bool ok = perf_session_start(&crew->target, anywhere, crew_serve_target, &crew->config);
    crew->started = 1;
    for (unsigned i = 0; ok && i < crew->source_count; i++) {
        ok = perf_session_start(&crew->sources[i], anywhere, crew_serve_source, &crew->config);
        crew->started++;
    }
    return ok;
}

bool crew_start(perf_crew *crew, unsigned source_count, const crew_config *config)
{
    crew_answer answer = {0};
    memset(crew, 0, sizeof *crew);
    crew->config = *config;
    crew->source_count = source_count;
    if (!fork_members(crew) || !ask(&crew->target, CREW_OPEN, 0, &answer) ||
        !tell(&crew->target, CREW_ACCEPT, source_count))
        return false;
    uint64_t port = answer.value;
    for (unsigned i = 0; i < source_count; i++) {
        if (!ask(&crew->sources[i], CREW_CONNECT, port, &answer))
            return false;
    }
    memcpy(crew->delivery, answer.seen.delivery, sizeof crew->delivery);
    return hear(&crew->target, &answer);
}

static bool begin_serving(perf_crew *crew, uint64_t expected)
{
    return tell(&crew->target, CREW_SERVE, expected) && perf_session_await_ready(&crew->target);
}

static bool end_serving(perf_crew *crew, crew_answer *answer_out)
{
    perf_session_set_ended(&crew->target);
    return hear(&crew->target, answer_out);
}

/* Sources close while the target still answers. */
static bool close_members(perf_crew *crew)
{
    crew_answer answer;
    if (!begin_serving(crew, 0))
        return false;
    for (unsigned i = 0; i < crew->source_count; i++) {
        if (!ask(&crew->sources[i], CREW_CLOSE, 0, &answer))
            return false;
    }
    return end_serving(crew, &answer) && ask(&crew->target, CREW_CLOSE, 0, &answer);
}

static bool has_failed(const perf_crew *crew)
{
    bool failed = crew->started <= crew->source_count;
    for (unsigned i = 0; i < crew->started; i++) {
        const perf_session *member = i == 0 ? &crew->target : &crew->sources[i - 1];
        failed =
            failed || member->control == NULL || atomic_load(&member->control->failed) != 0;
    }
    return failed;
}

/* Nobody waits any longer for one that may never come. */
static void give_up(perf_crew *crew)
{
    for (unsigned i = 0; i < crew->started; i++) {
        perf_session *member = i == 0 ? &crew->target : &crew->sources[i - 1];
        if (member->control != NULL)
            atomic_store(&member->control->failed, 1);
    }
}

bool crew_stop(perf_crew *crew)
{
    bool ok = !has_failed(crew) && close_members(crew);
    if (!ok)
        give_up(crew);
    for (unsigned i = crew->started; i-- > 0;)
        ok = perf_session_end(i == 0 ? &crew->target : &crew->sources[i - 1]) && ok;
    crew->started = 0;
    return ok;
}

static uint64_t share_of(const perf_crew *crew, uint64_t count)
{
    uint64_t share = count / crew->source_count;
    return share > 0 ? share : 1;
}

static bool rate_begin(perf_crew *crew, uint64_t count)
{
    uint64_t share = share_of(crew, count);
    if (!begin_serving(crew, share * crew->source_count))
        return false;
    for (unsigned i = 0; i < crew->source_count; i++) {
        if (!tell(&crew->sources[i], CREW_SEND, share))
            return false;
    }
    return true;
}

static bool rate_end(perf_crew *crew, uint64_t *first_ns_out, uint64_t *last_ns_out)
{
    crew_answer answer;
    uint64_t first_ns = UINT64_MAX;
    for (unsigned i = 0; i < crew->source_count; i++) {
        if (!hear(&crew->sources[i], &answer))
            return false;
        first_ns = answer.value < first_ns ? answer.value : first_ns;
    }
    if (!end_serving(crew, &answer))
        return false;
    *first_ns_out = first_ns;
    *last_ns_out = answer.seen.last_ns;
    return true;
}

bool crew_idle(perf_crew *crew, uint64_t duration_ns, double *cpu_pct_out)
{
    crew_answer answer;
    const struct timespec pause = {.tv_sec = (time_t)(duration_ns / PERF_NS_PER_S),
                                   .tv_nsec = (long)(duration_ns % PERF_NS_PER_S)};
    if (!begin_serving(crew, 0))
        return false;
    (void)nanosleep(&pause, NULL);
    if (!end_serving(crew, &answer))
        return false;
    *cpu_pct_out = answer.seen.cpu_pct;
    return true;
}

bool crew_wake(perf_crew *crew, uint64_t count, double *us_p50_out, double *us_p99_out)
{
    crew_answer answer;
    if (!begin_serving(crew, count) || !ask(&crew->sources[0], CREW_WAKE, count, &answer) ||
        !end_serving(crew, &answer))
        return false;
    *us_p50_out = answer.seen.wakeup_us_p50;
    *us_p99_out = answer.seen.wakeup_us_p99;
    return true;
}

bool crews_rate(perf_crew *crews, unsigned crew_count, uint64_t count, double *per_s_out)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0, messages = 0;
    for (unsigned i = 0; i < crew_count; i++) {
        if (!rate_begin(&crews[i], count))
            return false;
        messages += share_of(&crews[i], count) * crews[i].source_count;
    }
    for (unsigned i = 0; i < crew_count; i++) {
        uint64_t first, last;
        if (!rate_end(&crews[i], &first, &last))
            return false;
        first_ns = first < first_ns ? first : first_ns;
        last_ns = last > last_ns ? last : last_ns;
    }
    *per_s_out = (double)messages * (double)PERF_NS_PER_S / (double)(last_ns - first_ns);
    return true;
}
