#include "series_steps.h"

#include "perf_report.h"

#include <stdlib.h>
#include <string.h>

/* --- one series, at either side ---------------------------------------------------------- */

static void free_series(perf_series *series)
{
    if (series->mode->release != NULL)
        series->mode->release(series);
    free(series->state);
    series->state = NULL;
}

static bool open_series(perf_series *series)
{
    series->state = calloc(1, series->mode->state_bytes);
    if (series->state == NULL)
        return perf_session_complain(series->session, "out of memory");
    bool ok = series->mode->open(series);
    if (!ok)
        free_series(series);
    return ok;
}

static void close_series(perf_series *series)
{
    if (series->mode->close != NULL)
        series->mode->close(series);
    free_series(series);
}

/* --- steps of both processes ----------------------------------------------------------- */

/* Both sides: the measurement from now on. */
static void take_point(series_run *run, uint64_t value)
{
    if (run->kind->of_calls)
        run->options.calls_at_once = value;
    else
        run->options.payload_bytes = value;
}

static bool take_pair(series_run *run, uint64_t pair)
{
    memcpy(run->options.cpus, run->pairs[pair], sizeof run->options.cpus);
    return perf_session_pin(run->session, run->options.cpus);
}

static bool do_step(series_run *run, const perf_command *command)
{
    if (command->series >= run->series_count)
        return false;
    perf_series *series = &run->series[command->series];
    switch (command->action) {
    case SERIES_STEP_PAYLOAD:
        take_point(run, command->count);
        return true;
    case SERIES_STEP_OPEN:
        return open_series(series);
    case SERIES_STEP_LATENCY:
        perf_session_set_ready(run->session);
        return series->mode->target_latency(series, command->count);
    case SERIES_STEP_RATE:
        perf_session_set_ready(run->session);
        return series->mode->target_rate(series, command->count);
    case SERIES_STEP_CLOSE:
        close_series(series);
        return true;
    case SERIES_STEP_WORD:
        return series_watch_answer(run->session);
    case SERIES_STEP_MOVE:
        return command->count < run->pair_count && take_pair(run, command->count);
    default:
        return false;
    }
}

static bool target_step(void *experiment, const perf_command *command)
{
    series_run *run = experiment;
    const bool ok = do_step(run, command);
    series_watch_account(run->session);
    return ok;
}

bool series_steps_serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

bool series_steps_point(series_run *run, uint64_t value)
{
    take_point(run, value);
    return perf_session_command(run->session, SERIES_STEP_PAYLOAD, 0, value) &&
           perf_session_reply(run->session);
}

bool series_steps_open(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_series *series = &run->series[i];
        series->payload_max = 0;
        series->is_left_out = false;
        perf_report_progress("opening %s", series->mode->name);
        if (!perf_session_command(run->session, SERIES_STEP_OPEN, i, 0) ||
            !open_series(series) || !perf_session_reply(run->session))
            return false;
    }
    return true;
}

bool series_steps_close(series_run *run)
{
    for (unsigned i = 0; i < run->series_count; i++) {
        perf_series *series = &run->series[i];
        if (!perf_session_command(run->session, SERIES_STEP_CLOSE, i, 0))
            return false;
        close_series(series);
        if (!perf_session_reply(run->session))
            return false;
    }
    return true;
}

bool series_steps_look(series_run *run)
{
    return !run->kind->is_watched ||
           (perf_session_command(run->session, SERIES_STEP_WORD, 0, 0) &&
            series_watch_look(&run->watch, run->session));
}

bool series_steps_move(series_run *run, unsigned pair)
{
    return run->pair_count == 0 ||
           (perf_session_command(run->session, SERIES_STEP_MOVE, 0, pair) &&
            perf_session_reply(run->session) && take_pair(run, pair));
}
