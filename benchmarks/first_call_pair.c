/* One pair of processes of the experiment on first calls: the source sends functions that the
 * target has never seen, and the target records the time of each. */
#include "perf_context.h"
#include "first_call.h"
#include "ifunc_link.h"
#include "perf_clock.h"
#include "perf_process.h"
#include "perf_session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ARCHIVE_MAX (1u << 20)
/* Between two first calls, so that the target's work after one (to store an object) is not in
 * the way of the next. */
#define PAUSE_US 2000u

enum { ACTION_RUN = 1 };

typedef struct call_pair {
    const call_plan *plan;
    perf_session *session;
    ifunc_link link;
    uint64_t turn_ns; /* when the turn of progress began that runs now */
} call_pair;

static bool open_link(call_pair *pair, void *target_args)
{
    const call_plan *plan = pair->plan;
    const char *delivery = plan->options->deliveries[0];
    const ifunc_link_config config = {.delivery = *delivery != '\0' ? delivery : NULL,
                                      .form = plan->path->form,
                                      .tier = plan->path->tier,
                                      .cache_dir = plan->cache_dir,
                                      .path = plan->options->ifunc_path,
                                      .name = plan->function->name,
                                      .target_args = target_args};
    return ifunc_link_open(&pair->link, pair->session, &config);
}

/* --- the target ---------------------------------------------------------------------- */

/* The report has no time for a message with known code. It was seen after its turn began and
 * after it was sent; the later of both is the better bound. */
static uint64_t seen_after(const call_pair *pair, const call_sample *sample)
{
    return pair->turn_ns > sample->sent_ns ? pair->turn_ns : sample->sent_ns;
}

static void note(void *user, const tc_load_report *report)
{
    call_pair *pair = user;
    call_board *board = pair->plan->board;
    uint32_t index = atomic_load_explicit(&board->seen, memory_order_relaxed);
    if (report->better || index >= CALLS_MAX)
        return;
    call_sample *sample = &board->samples[index];
    bool ahead = pair->plan->path->sent_ahead;
    uint64_t seen_ns = ahead ? seen_after(pair, sample) : report->seen_ns;
    for (int i = 0; i < TC_STAGE_COUNT; i++)
        sample->ns[i] = ahead && i != TC_STAGE_EXECUTION ? 0 : report->stage_ns[i];
    sample->ns[CALL_TRANSMISSION] = seen_ns - sample->sent_ns;
    sample->ns[CALL_TOTAL] = ahead ? perf_now_ns() - seen_ns : report->total_ns;
    if (report->path != pair->plan->path->taken)
        atomic_fetch_add(&board->strayed, 1);
    atomic_store_explicit(&board->seen, index + 1, memory_order_release);
}

static bool run_target(call_pair *pair)
{
    static _Alignas(64) unsigned char target_args[2 * CALL_PAYLOAD_MAX];
    if (!open_link(pair, target_args))
        return false;
    tc_context_set_load_callback(pair->link.context, note, pair);
    atomic_store_explicit(&pair->plan->board->notes, 1, memory_order_release);
    perf_poll poll = {.session = pair->session};
    while (!perf_session_has_ended(pair->session)) {
        pair->turn_ns = perf_now_ns();
        if (tc_progress(pair->link.context) > 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return ifunc_link_lost(&pair->link);
    }
    ifunc_link_close(&pair->link);
    return true;
}

static bool target_step(void *experiment, const perf_command *command)
{
    return command->action == ACTION_RUN && run_target(experiment);
}

static bool serve(perf_session *session, void *experiment)
{
    return perf_session_serve(session, target_step, experiment);
}

/* --- the source ---------------------------------------------------------------------- */

static size_t read_archive(call_pair *pair, unsigned char *bytes)
{
    const call_plan *plan = pair->plan;
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s", plan->function->name, plan->path->file);
    size_t size =
        perf_context_read_archive(plan->options->ifunc_path, name, bytes, ARCHIVE_MAX);
    if (size == 0)
        (void)perf_session_complain(pair->session, "cannot read %s.tca", name);
    return size;
}

static bool send_call(call_pair *pair, tc_ifunc *fn, call_sample *sample)
{
    const call_function *function = pair->plan->function;
    static _Alignas(64) unsigned char payload[CALL_PAYLOAD_MAX];
    ifunc_link *link = &pair->link;
    tc_error err = {0};
    tc_status status = TC_OK;
    function->fill(payload);
    if (pair->plan->path->sent_ahead)
        status = tc_ep_prepare(link->peer, fn, PERF_SILENCE_NS, &err);
    if (status != TC_OK)
        return perf_session_complain(pair->session, "prepare: %s", err.text);
    perf_poll poll = {.session = pair->session};
    do {
        sample->sent_ns = perf_now_ns();
        status = tc_send(link->peer, fn, payload, function->payload_size);
        if (status == TC_E_AGAIN && tc_progress(link->context) == 0 && !perf_poll_missed(&poll))
            return ifunc_link_lost(link);
    } while (status == TC_E_AGAIN);
    if (status != TC_OK)
        return ifunc_link_send_failed(link, status);
    return ifunc_link_flush(link);
}

/* No cache knows the function but the one that an earlier process filled with the same. */
static bool call_one(call_pair *pair, const unsigned char *archive, size_t size, unsigned index)
{
    tc_error err = {0};
    tc_ifunc *fn = NULL;
    if (perf_context_open_new(pair->link.context, archive, size, index, &fn, &err) != TC_OK)
        return perf_session_complain(pair->session, "%s: %s", pair->plan->function->name,
                                     err.text);
    bool ok = send_call(pair, fn, &pair->plan->board->samples[index]);
    tc_ifunc_close(fn);
    (void)usleep(PAUSE_US);
    return ok;
}

/* A message may come with the end of the handshake, before the target has its callback. */
static bool await_target(call_pair *pair)
{
    const uint64_t until_ns = perf_now_ns() + PERF_SILENCE_NS;
    while (atomic_load_explicit(&pair->plan->board->notes, memory_order_acquire) == 0) {
        if (perf_now_ns() > until_ns)
            return perf_session_complain(pair->session, "the target does not begin");
        (void)usleep(PAUSE_US);
    }
    return true;
}

static bool run_source(call_pair *pair)
{
    static unsigned char archive[ARCHIVE_MAX];
    size_t size = read_archive(pair, archive);
    if (size == 0 || !perf_session_command(pair->session, ACTION_RUN, 0, 0) ||
        !open_link(pair, NULL) || !await_target(pair))
        return false;
    for (unsigned i = 0; i < pair->plan->calls; i++) {
        if (!call_one(pair, archive, size, i))
            return false;
    }
    perf_session_set_ended(pair->session);
    ifunc_link_close(&pair->link);
    return perf_session_reply(pair->session);
}

static bool pair_source(const call_plan *plan)
{
    perf_session session;
    call_pair pair = {.plan = plan, .session = &session};
    /* Anywhere: a target's threads need processors too. */
    bool ok = perf_session_start(&session, NULL, serve, &pair) && run_source(&pair);
    return perf_session_end(&session) && ok;
}

typedef struct pair_part {
    bool (*source)(const call_plan *plan);
    const call_plan *plan;
} pair_part;

static bool run_part(void *user)
{
    const pair_part *part = user;
    return part->source(part->plan);
}

bool first_call_pair_in_process(bool (*source)(const call_plan *plan), const call_plan *plan)
{
    pair_part part = {source, plan};
    return perf_process_run(run_part, &part);
}

bool first_call_pair_run(const call_plan *plan)
{
    call_board *board = plan->board;
    *board = (call_board){0};
    if (!first_call_pair_in_process(pair_source, plan))
        return false;
    if (board->seen != plan->calls) {
        (void)fprintf(stderr, "tc-perf: %s, %s: %u first calls reported, expected %u\n",
                      plan->function->name, plan->path->name, board->seen, plan->calls);
        return false;
    }
    return true;
}
