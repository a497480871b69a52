/* The vector loop after it was called often: the time of a shipped function with code made for
 * this CPU by the target, against the same source compiled for this machine when tc-perf was
 * built. */
#include "first_call.h"
#include "ifunc_link.h"
#include "perf_clock.h"
#include "perf_session.h"
#include "perf_stats.h"
#include "ifuncs/saxpy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURNS 60u
#define ROUNDS_OF_A_TURN 4000u
#define CALLS_UNTIL_HOT 1000u /* option tier_calls */

/* saxpy.c once more, by clang -O3; where it may, for the very CPU. */
void saxpy_native(void *payload, size_t payload_size, void *target_args);

enum { ACTION_RUN = 1 };

typedef struct loop_run {
    const call_plan *plan;
    perf_session *session;
    ifunc_link link;
    uint64_t shipped_ns[TURNS];
    uint64_t native_ns[TURNS];
} loop_run;

static bool open_link(loop_run *run, void *target_args)
{
    const ifunc_link_config config = {.form = "bitcode",
                                      .tier = "auto",
                                      .cache_dir = "",
                                      .path = run->plan->options->ifunc_path,
                                      .name = "saxpy",
                                      .target_args = target_args};
    return ifunc_link_open(&run->link, run->session, &config);
}

static void fill_request(saxpy_request *request, uint64_t rounds)
{
    memset(request, 0, sizeof *request);
    request->rounds = rounds;
    request->factor = 0x1p-20f;
    for (int i = 0; i < SAXPY_COUNT; i++)
        request->x[i] = (float)i;
}

/* --- the target ---------------------------------------------------------------------- */

static void note(void *user, const tc_load_report *report)
{
    loop_run *run = user;
    if (report->better)
        atomic_store(&run->plan->board->better, 1);
}

#define PAGE 4096u

static _Alignas(PAGE) unsigned char shipped_page[PAGE], native_page[PAGE], requests[2 * PAGE];

/* Vectors that lie differently in their cache lines and pages make a third of difference, so
 * all lies as the shipped function had it. */
static uint64_t time_native(void)
{
    const saxpy_target *shipped = (const void *)shipped_page;
    saxpy_request *request = (void *)(requests + (uintptr_t)shipped->request % PAGE);
    fill_request(request, ROUNDS_OF_A_TURN);
    uint64_t start_ns = perf_now_ns();
    saxpy_native(request, sizeof *request, native_page);
    return perf_now_ns() - start_ns;
}

/* Both in turns, so that whatever else the machine does hits both. */
static bool serve_turns(loop_run *run)
{
    unsigned turn = 0;
    perf_poll poll = {.session = run->session};
    while (!perf_session_has_ended(run->session)) {
        uint64_t start_ns = perf_now_ns();
        if (tc_progress(run->link.context) == 0) {
            if (!perf_poll_missed(&poll))
                return ifunc_link_lost(&run->link);
            continue;
        }
        uint64_t took_ns = perf_now_ns() - start_ns;
        perf_poll_hit(&poll);
        /* Turns with one round are those that it takes to become hot. */
        if (atomic_load(&run->plan->board->better) < 2 || turn == TURNS)
            continue;
        run->shipped_ns[turn] = took_ns;
        run->native_ns[turn++] = time_native();
    }
    ifunc_link_close(&run->link);
    perf_stats_sort(run->shipped_ns, TURNS);
    perf_stats_sort(run->native_ns, TURNS);
    run->plan->board->shipped_ns = perf_stats_percentile(run->shipped_ns, TURNS, 50);
    run->plan->board->native_ns = perf_stats_percentile(run->native_ns, TURNS, 50);
    return turn == TURNS || perf_session_complain(run->session, "too few turns of the loop");
}

static bool target_step(void *experiment, const perf_command *command)
{
    loop_run *run = experiment;
    if (command->action != ACTION_RUN || !open_link(run, shipped_page))
        return false;
    tc_context_set_load_callback(run->link.context, note, run);
    return serve_turns(run);
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- the source ---------------------------------------------------------------------- */

static bool call(loop_run *run, uint64_t rounds)
{
    static saxpy_request request;
    fill_request(&request, rounds);
    perf_poll poll = {.session = run->session};
    return ifunc_link_send(&run->link, &poll, &request, sizeof request) &&
           ifunc_link_flush(&run->link);
}

/* Better code is made by an idle thread, so from some time on the processors are left to it.
 * On a busy machine it gets a hundredth of one. */
static bool call_until_better(loop_run *run)
{
    call_board *board = run->plan->board;
    uint64_t end_ns = perf_now_ns() + 20 * PERF_SILENCE_NS;
    for (unsigned i = 0; atomic_load(&board->better) == 0 && perf_now_ns() < end_ns; i++) {
        if (!call(run, 1))
            return false;
        if (i > CALLS_UNTIL_HOT)
            (void)usleep(1000);
    }
    if (atomic_load(&board->better) == 0)
        return perf_session_complain(run->session, "better code of the loop has not come");
    atomic_store(&board->better, 2);
    return true;
}

static bool run_source(loop_run *run)
{
    if (!perf_session_command(run->session, ACTION_RUN, 0, 0) || !open_link(run, NULL) ||
        !call_until_better(run))
        return false;
    for (unsigned i = 0; i < TURNS; i++) {
        if (!call(run, ROUNDS_OF_A_TURN))
            return false;
    }
    perf_session_set_ended(run->session);
    ifunc_link_close(&run->link);
    return perf_session_reply(run->session);
}

static bool loop_source(const call_plan *plan)
{
    static loop_run run;
    perf_session session;
    run = (loop_run){.plan = plan, .session = &session};
    bool ok = perf_session_start(&session, NULL, serve, &run) && run_source(&run);
    return perf_session_end(&session) && ok;
}

bool first_call_loop_run(const call_plan *plan)
{
    *plan->board = (call_board){0};
    return first_call_pair_in_process(loop_source, plan);
}
