/* The target of the experiment `tasks`: here functions begin, wait and go on. */
#include "tasks_run.h"

#include "perf_clock.h"
#include "perf_context.h"
#include "perf_mode.h"
#include "process_sample.h"
#include "stack_switch.h"

#include <malloc.h>
#include <unistd.h>

#include <tc/task.h>

#define TURNS 2000u

bool tasks_target_open(tasks_run *run)
{
    const char *delivery = run->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .path = run->options->ifunc_path,
                                      .name = "tsi",
                                      .target_args = &run->target};
    tc_error err = {0};
    if (!ifunc_link_open(&run->link, run->session, &config))
        return false;
    return (tc_ifunc_open(run->link.context, "tasks_wait", &run->wait, &err) == TC_OK &&
            tc_ifunc_open(run->link.context, "tasks_begin", &run->begin, &err) == TC_OK) ||
           perf_context_complain(run->session, "functions", &err);
}

bool tasks_target_progress(tasks_run *run, perf_poll *poll, bool has_happened)
{
    if (tc_progress(run->link.context) == 0 && !has_happened)
        return perf_poll_missed(poll) || ifunc_link_lost(&run->link);
    perf_poll_hit(poll);
    return true;
}

/* --- one task ---------------------------------------------------------------------------- */

static double time_turns(const tasks_run *run)
{
    const uint64_t start_ns = perf_now_ns();
    for (unsigned i = 0; i < TURNS; i++)
        (void)tc_progress(run->link.context);
    return (double)(perf_now_ns() - start_ns) / TURNS;
}

static double time_switch(stack_switch_way way, uint64_t count)
{
    return (double)stack_switch_measure_ns(way, count) / (double)count;
}

/* The message with the order comes when this side is ready. */
static bool measure_one(tasks_run *run, uint64_t count)
{
    tasks_target *target = &run->target;
    const uint64_t began = target->began, counted = target->counter;
    perf_poll poll = {.session = run->session};
    tasks_one one = {.switch_ns = time_switch(STACK_SWITCH_JUMP, count),
                     .switch_return_ns = time_switch(STACK_SWITCH_RETURN, count)};
    perf_session_set_ready(run->session);
    while (target->began == began) {
        if (!tasks_target_progress(run, &poll, false))
            return false;
    }
    if (target->counter != counted + 2 * count)
        return perf_session_complain(run->session, "%llu bodies ran, expected %llu",
                                     (unsigned long long)(target->counter - counted),
                                     (unsigned long long)(2 * count));
    one.call_ns = (double)target->call_ns / (double)count;
    one.begin_ns = (double)target->begin_ns / (double)count;
    one.turn_ns = time_turns(run);
    return perf_session_send(run->session, &one, sizeof one);
}

/* --- many tasks -------------------------------------------------------------------------- */

/* Bytes that the allocator has given out; 0: it does not count them. */
static uint64_t allocated_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* Memory that was freed is no part of the figures. */
static bool take_memory(tasks_run *run, tasks_filled *out)
{
    process_sample sample;
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
    if (!process_sample_take(getpid(), &sample))
        return perf_session_complain(run->session, "no /proc/self/statm");
    out->resident_bytes = sample.rss_bytes;
    out->allocated_bytes = allocated_bytes();
    return true;
}

static uint64_t grown(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

static bool fill(tasks_run *run, uint64_t tasks)
{
    tasks_filled before = {0}, after = {0};
    tasks_target *target = &run->target;
    run->tasks = tasks;
    target->woken = target->passed = target->ended = target->failed = 0;
    if (!take_memory(run, &before))
        return false;
    perf_session_set_ready(run->session);
    if (!ifunc_link_serve(&run->link) || !take_memory(run, &after))
        return false;
    after.waiting = tc_task_count(run->link.context);
    after.woken = target->woken;
    after.resident_bytes = grown(before.resident_bytes, after.resident_bytes);
    after.allocated_bytes = grown(before.allocated_bytes, after.allocated_bytes);
    return perf_session_send(run->session, &after, sizeof after);
}

/* Progresses until a count of the functions has that value. */
static bool progress_until(tasks_run *run, const uint64_t *count, uint64_t value)
{
    perf_poll poll = {.session = run->session};
    uint64_t seen = *count;
    while (*count < value) {
        if (!tasks_target_progress(run, &poll, *count != seen))
            return false;
        seen = *count;
    }
    return true;
}

static bool end_all(tasks_run *run, tasks_woken *woken)
{
    const tasks_target *target = &run->target;
    if (!progress_until(run, &target->ended, run->tasks))
        return false;
    if (target->failed > 0)
        return perf_session_complain(run->session, "%llu of %llu tasks failed",
                                     (unsigned long long)target->failed,
                                     (unsigned long long)run->tasks);
    perf_session_set_done(run->session);
    return perf_session_send(run->session, woken, sizeof *woken);
}

/* All deadlines pass first: waiting for them is no part of the figures. */
static bool wake(tasks_run *run, uint64_t last_ns)
{
    const tasks_target *target = &run->target;
    const uint64_t turns = run->tasks * tasks_run_turns(run->tasks);
    uint64_t stamps[3];
    tasks_woken woken = {.is_early = target->woken > 0};
    while (perf_now_ns() <= last_ns)
        ;
    stamps[0] = perf_now_ns();
    if (!progress_until(run, &target->woken, run->tasks))
        return false;
    stamps[1] = perf_now_ns();
    if (!progress_until(run, &target->passed, turns))
        return false;
    stamps[2] = perf_now_ns();
    woken.wake_ns = (double)(stamps[1] - stamps[0]) / (double)run->tasks;
    woken.suspend_ns = (double)(stamps[2] - stamps[1]) / (double)turns;
    return end_all(run, &woken);
}

static bool ask_for_batch(tasks_run *run, uint32_t count)
{
    const tasks_order order = {.kind = TASKS_ANSWER, .count = count};
    perf_poll poll = {.session = run->session};
    tc_status status;
    while ((status = tc_send(run->link.peer, run->wait, &order, sizeof order)) == TC_E_AGAIN) {
        if (!tasks_target_progress(run, &poll, false))
            return false;
    }
    return status == TC_OK || ifunc_link_send_failed(&run->link, status);
}

/* The answers that are asked for ahead: a source that makes all at once would queue them, and
 * a queue has a bound (send_queue_bytes). */
#define ANSWERS_A_BATCH 4096u
#define BATCHES_AHEAD 2u

static bool wake_by_answers(tasks_run *run)
{
    const uint64_t start_ns = perf_now_ns();
    tasks_woken woken = {.is_early = run->target.woken > 0};
    uint64_t asked = 0;
    while (asked < run->tasks) {
        const uint64_t left = run->tasks - asked, ahead = BATCHES_AHEAD * ANSWERS_A_BATCH;
        const uint64_t count = left < ANSWERS_A_BATCH ? left : ANSWERS_A_BATCH;
        if (!ask_for_batch(run, (uint32_t)count))
            return false;
        asked += count;
        if (asked > ahead && !progress_until(run, &run->target.ended, asked - ahead))
            return false;
    }
    if (!progress_until(run, &run->target.ended, run->tasks))
        return false;
    woken.wake_ns = (double)(perf_now_ns() - start_ns) / (double)run->tasks;
    return end_all(run, &woken);
}

/* --- the session ------------------------------------------------------------------------- */

static bool answer_words(tasks_run *run, uint64_t count)
{
    uint64_t words[8] = {0};
    perf_series series = {.session = run->session, .state = words};
    return perf_mode_bare.state_bytes <= sizeof words && perf_mode_bare.open(&series) &&
           perf_mode_bare.target_latency(&series, count);
}

static bool step(void *experiment, const perf_command *command)
{
    tasks_run *run = experiment;
    switch (command->action) {
    case TASKS_ACTION_WORD:
        return answer_words(run, command->count);
    case TASKS_ACTION_SERVE:
        perf_session_set_ready(run->session);
        return ifunc_link_serve(&run->link);
    case TASKS_ACTION_ONE:
        return measure_one(run, command->count);
    case TASKS_ACTION_FILL:
        return fill(run, command->count);
    case TASKS_ACTION_WAKE:
        return wake(run, command->count);
    default:
        return wake_by_answers(run);
    }
}

void tasks_target_close(tasks_run *run)
{
    tc_ifunc_close(run->wait);
    tc_ifunc_close(run->begin);
    ifunc_link_close(&run->link);
}

/* The link knows the endpoint that opened last, and forgets it when it closes. */
static bool step_by_first(tasks_run *run, tc_ep *first, const perf_command *command)
{
    const bool ok = step(run, command);
    if (ok && run->link.failure[0] == '\0')
        run->link.peer = first;
    return ok;
}

bool tasks_target_serve(perf_session *session, void *experiment)
{
    tasks_run *run = experiment;
    perf_command command;
    bool ok;
    run->session = session;
    if (!tasks_target_open(run))
        return false;
    const uint16_t port = tc_listener_port(run->link.listener);
    tc_ep *first = run->link.peer;
    if (!perf_session_send(session, &port, sizeof port))
        return false;
    while ((ok = perf_session_next(session, &command)) &&
           command.action != TASKS_ACTION_CLOSE) {
        if (!perf_session_answer(session, step_by_first(run, first, &command)))
            return false;
    }
    ok = ok && perf_session_answer(session, true);
    tasks_target_close(run);
    return ok && perf_session_next(session, &command);
}
