/* Waiting: blocking calls come here when a turn of tc_progress finds no work.
 *
 * With the policy `adaptive` a wait has three states, and starts again after a message: it
 * polls rings for the time of the option `spin`, then yields some times, then sleeps until a
 * descriptor is readable or a bound is over. A yield is cheap only while no program keeps the
 * processor, and delays processes that have work. So the number of yields is learnt from
 * earlier yields and sleeps. The other policies stay in one state.
 *
 * A sleep must never miss work: doorbells are armed first, then everything is checked once more
 * (core/doorbell.h). It is a short nap while a peer cannot wake this side or a handshake is
 * under way. It must never pass the call's deadline, nor the next one of a started call. A
 * thread must never make a turn while another one serves the context: see context/guests.h. */
#include "context/wait.h"

#include "base/clock.h"
#include "base/line_wait.h"
#include "base/process_barrier.h"
#include "context/arming.h"
#include "context/housekeeping.h"
#include "context/listener.h"
#include "context/lookout.h"
#include "context/progress.h"
#include "core/calls_ops.h"
#include "core/network_ops.h"
#include "core/sole_user.h"
#include "core/tasks_ops.h"
#include "transfer/frame_out.h"
#include "transfer/send_space.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define YIELDS_MAX 20u
#define YIELDS_MIN 1u
/* Yields before a longer sleep did not pay. Not less: eight processes on two processors, each
 * with its turn every 0.1 ms, are faster awake (docs/decisions/waiting.md). */
#define LONG_SLEEP_NS 1000000u
#define EVENTS_MAX 4
/* During a longer yield another thread ran. */
#define SHARED_YIELD_NS 1000u
/* During a longer yield a thread ran that keeps the processor for its whole share. A sleeper is
 * woken within that share, a yielder is not. So no yields follow for a multiple of its time,
 * which doubles if the last such yield was recent (docs/decisions/waiting.md). */
#define COSTLY_YIELD_NS 1000000u
#define YIELD_REST_MIN 2u
#define YIELD_REST_MAX 64u
#define YIELDS_WORTH_IT 32u
/* The shortest and longest sleep where some peer cannot wake this side. */
#define NAP_FIRST_NS 50000ull
#define NAP_LAST_NS 1000000ull
/* Turns before a clock is read: some 0.5 us, within which a peer that shares memory answers. */
#define FIRST_TURNS 100u
/* The longest wait for a line that only the kernel's event stream ends. */
#define UNBOUNDED_LINE_NS 100000ull

tc_status tci_wait_init(tc_context *ctx, tc_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = &ctx->core}};
    if (ctx->core.options.wait == TCI_WAIT_LINE && tci_line_wait_name() == NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "wait: line: this processor shows no instruction that waits for a "
                             "line of memory; expected WAITPKG (UMWAIT) or MONITORX (MWAITX) "
                             "among its features; pause is the nearest it can");
    ctx->can_be_rung = tci_process_barrier_register();
    ctx->wait_fd = epoll_create1(EPOLL_CLOEXEC);
    if (ctx->wait_fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "epoll could not be started");
    if (epoll_ctl(ctx->wait_fd, EPOLL_CTL_ADD, ctx->core.epoll_fd, &event) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "epoll does not take a descriptor");
    return TC_OK;
}

/* --- sleeping ---------------------------------------------------------------------------- */

/* Returns how long to sleep at most. Handshakes have steps that no descriptor shows. */
static uint64_t sleep_bound_ns(tc_context *ctx, bool rung)
{
    uint64_t longest_ns = ctx->core.options.sleep_max;
    if (ctx->listeners_resting > 0 && longest_ns > TCI_LISTENER_REST_NS)
        longest_ns = TCI_LISTENER_REST_NS;
    if (rung && ctx->core.handshakes == 0)
        return longest_ns;
    uint64_t nap_ns = ctx->nap_ns < NAP_FIRST_NS ? NAP_FIRST_NS : ctx->nap_ns;
    ctx->nap_ns = nap_ns < NAP_LAST_NS ? 2 * nap_ns : nap_ns;
    return nap_ns;
}

static uint64_t until(uint64_t deadline_ns)
{
    uint64_t now_ns = deadline_ns != UINT64_MAX ? tci_clock_ns() : 0;
    return deadline_ns > now_ns ? deadline_ns - now_ns : 0;
}

/* Returns whether a turn without housekeeping serves all that woke this side. Linux has
 * epoll_pwait2 since 5.11, emulators not yet; epoll_wait counts milliseconds, which is too
 * coarse. */
static bool sleep_on_descriptors(const tc_context *ctx, const struct timespec *bound,
                                 bool turns_serve)
{
    struct epoll_event events[EVENTS_MAX];
    int n = (int)syscall(SYS_epoll_pwait2, ctx->wait_fd, events, EVENTS_MAX, bound, NULL, 0);
    if (n < 0 && errno == ENOSYS) {
        struct pollfd fd = {.fd = ctx->wait_fd, .events = POLLIN};
        (void)ppoll(&fd, 1, bound, NULL);
        (void)tci_network_is_event(&ctx->core, ctx->core.worker); /* perhaps */
        return false;
    }
    bool is_served = n > 0 && n < EVENTS_MAX;
    for (int i = 0; i < n; i++)
        is_served &= tci_network_is_event(&ctx->core, events[i].data.ptr) ||
                     (events[i].data.ptr == &ctx->core && turns_serve);
    return is_served;
}

/* The same, but releases the lock for guests meanwhile if a thread serves the context. */
static bool sleep_among_guests(tc_context *ctx, const struct timespec *bound, uint64_t until_ns)
{
    const bool turns_serve = tci_housekeeping_turns_serve(&ctx->core);
    ctx->core.counters[TCI_SLEEPS]++;
    if (!tci_pending_has(&ctx->core.pending, TCI_SERVED))
        return sleep_on_descriptors(ctx, bound, turns_serve);
    tci_guests_begin_sleep(ctx, until_ns);
    bool is_served = sleep_on_descriptors(ctx, bound, turns_serve);
    return !tci_guests_end_sleep(ctx) && is_served;
}

/* Where messages are rare, as with more processes than processors, yields before a sleep delay
 * processes that have work. So a long sleep halves their number, and a short one doubles it. */
static void learn_from_sleep(tc_context *ctx, uint64_t slept_ns)
{
    unsigned yields = YIELDS_MAX - ctx->yields_saved;
    yields = slept_ns > LONG_SLEEP_NS ? yields / 2 : yields * 2;
    yields = yields < YIELDS_MIN ? YIELDS_MIN : yields > YIELDS_MAX ? YIELDS_MAX : yields;
    ctx->yields_saved = YIELDS_MAX - yields;
}

static void sleep_a_while(tc_context *ctx, uint64_t now_ns, uint64_t timeout_ns)
{
    uint64_t bound_ns = sleep_bound_ns(ctx, tci_arming_arm(ctx));
    if (bound_ns > timeout_ns)
        bound_ns = timeout_ns;
    uint64_t next_ns = tci_calls_next_deadline_ns(&ctx->core);
    if (ctx->core.tasks != NULL && next_ns > ctx->core.tasks->next_deadline_ns)
        next_ns = ctx->core.tasks->next_deadline_ns;
    if (bound_ns > until(next_ns))
        bound_ns = until(next_ns);
    const struct timespec bound = {.tv_sec = (time_t)(bound_ns / TCI_NS_PER_S),
                                   .tv_nsec = (long)(bound_ns % TCI_NS_PER_S)};
    /* After a wakeup by data alone the other sources need no check, for a while. */
    tci_pending *pending = &ctx->core.pending;
    if (!tci_arming_finds_work(ctx, true)) {
        tci_pending_set(pending, TCI_WORK_SERVICE,
                        !sleep_among_guests(ctx, &bound, now_ns + bound_ns) ||
                            now_ns - ctx->serviced_ns >
                                tci_housekeeping_interval_ns(&ctx->core));
        learn_from_sleep(ctx, tci_clock_ns() - now_ns);
    }
    /* Without peers by UCX no other turn would progress UCX after its wakeup. */
    if (tci_pending_has(pending, TCI_WORK_SERVICE) || ctx->core.ucx_peers == 0)
        ctx->countdown = 0;
    tci_arming_disarm(ctx);
}

/* --- waiting ----------------------------------------------------------------------------- */

static void learn_from_yield(tc_context *ctx, uint64_t now_ns, uint64_t took_ns)
{
    ctx->shares_cpu = took_ns > SHARED_YIELD_NS;
    ctx->yields_well++;
    if (took_ns <= COSTLY_YIELD_NS)
        return;
    unsigned rest =
        ctx->yields_well > YIELDS_WORTH_IT ? ctx->yield_rest / 2 : ctx->yield_rest * 2;
    rest = rest < YIELD_REST_MIN   ? YIELD_REST_MIN
           : rest > YIELD_REST_MAX ? YIELD_REST_MAX
                                   : rest;
    ctx->yield_rest = rest;
    ctx->yields_well = 0;
    ctx->yields_again_ns = now_ns + rest * took_ns;
}

/* Yields the processor, and learns from the time that it took. */
static void give_way(tc_context *ctx, uint64_t now_ns)
{
    if (tci_pending_has(&ctx->core.pending, TCI_SERVED))
        tci_guests_give_way(ctx);
    else
        (void)sched_yield();
    ctx->core.counters[TCI_YIELDS]++;
    learn_from_yield(ctx, now_ns, tci_clock_ns() - now_ns);
}

/* Returns false where others want the processor and a poll is a system call: a message then
 * needs a switch to its sender. Peers that store are polled at no cost, and often run meanwhile
 * (docs/decisions/waiting.md has figures for both). */
static bool spinning_pays(const tc_context *ctx)
{
    return !ctx->shares_cpu || ctx->core.storing_peers > 0;
}

/* Returns how to poll before the first yield: with a rest, since it does not delay messages
 * (docs/decisions/waiting.md). */
static tci_wait_choice adaptive_manner(const tc_context *ctx)
{
    bool ends_in_time =
        tci_line_wait_is_bounded() || ctx->core.options.spin >= UNBOUNDED_LINE_NS;
    return tci_line_wait_name() != NULL && ends_in_time ? TCI_WAIT_LINE : TCI_WAIT_PAUSE;
}

/* Polls, then yields. Returns false when it is time to sleep. */
static bool adapts(tc_context *ctx, uint64_t now_ns, bool silent)
{
    if (spinning_pays(ctx) && now_ns - ctx->idle_since_ns < ctx->core.options.spin) {
        tci_lookout(ctx, adaptive_manner(ctx), silent);
        return true;
    }
    if (ctx->yields >= YIELDS_MAX - ctx->yields_saved || now_ns < ctx->yields_again_ns)
        return false;
    ctx->yields++;
    give_way(ctx, now_ns);
    return true;
}

/* Polls or yields as the option `wait` demands. Returns false when it is time to sleep. */
static bool stays_up(tc_context *ctx, uint64_t now_ns, bool silent)
{
    const tci_wait_choice policy = (tci_wait_choice)ctx->core.options.wait;
    switch (policy) {
    case TCI_WAIT_SPIN:
    case TCI_WAIT_PAUSE:
    case TCI_WAIT_LINE:
        tci_lookout(ctx, policy, silent);
        return true;
    case TCI_WAIT_YIELD:
        give_way(ctx, now_ns);
        return true;
    case TCI_WAIT_BLOCK:
        return false;
    case TCI_WAIT_ADAPTIVE:
        break;
    }
    return adapts(ctx, now_ns, silent);
}

/* One idle turn of a blocking call. Its state is kept in the context, and starts again with the
 * next message. `silent`: the awaited condition may come without message or event. */
static void idle(tc_context *ctx, uint64_t now_ns, uint64_t deadline_ns, bool silent)
{
    if (ctx->idle_since_ns == 0) {
        ctx->idle_since_ns = now_ns;
        ctx->yields = 0;
        ctx->nap_ns = NAP_FIRST_NS;
    }
    if (!stays_up(ctx, now_ns, silent))
        sleep_a_while(ctx, now_ns, deadline_ns > now_ns ? deadline_ns - now_ns : 0);
}

tc_status tci_wait_turn_for(tc_context *ctx, uint64_t deadline_ns, const tci_awaited *what)
{
    if (tci_guests_is_one(ctx))
        return tci_guests_wait(ctx, deadline_ns, what);
    if (tci_clock_ns() >= deadline_ns)
        return TC_E_TIMEOUT;
    ctx->core.pending.activity = false;
    if (tci_progress_turn(ctx) > 0 || ctx->core.pending.activity)
        ctx->idle_since_ns = 0;
    else
        idle(ctx, tci_clock_ns(), deadline_ns, what != NULL && what->is_silent);
    return TC_OK;
}

tc_status tci_wait_turn(tc_context *ctx, uint64_t deadline_ns)
{
    return tci_wait_turn_for(ctx, deadline_ns, NULL);
}

void tci_wait_first_turns(tc_context *ctx, const tci_awaited *what)
{
    const tci_wait_choice policy = (tci_wait_choice)ctx->core.options.wait;
    if ((policy != TCI_WAIT_ADAPTIVE && policy != TCI_WAIT_SPIN) || !spinning_pays(ctx))
        return;
    for (unsigned i = 0; i < FIRST_TURNS && !what->is_there(what->arg) &&
                         tci_pending_causes(&ctx->core.pending) == 0;
         i++)
        (void)tci_progress_turn(ctx);
}

tc_status tci_wait_patient_turn(tc_context *ctx, tci_patience *patience,
                                const tci_awaited *what)
{
    if (patience->check == NULL)
        return tci_wait_turn_for(ctx, patience->deadline_ns, what);
    if (tci_patience_is_over(patience))
        return TC_E_TIMEOUT;
    tc_status status = tci_wait_turn_for(ctx, tci_patience_next_ns(patience), what);
    return status == TC_E_TIMEOUT ? TC_OK : status; /* the next turn checks its patience */
}

void tci_wait_service_turn(tc_context *ctx, uint64_t deadline_ns, const tci_awaited *what)
{
    if (tci_guests_is_one(ctx))
        (void)!tci_guests_wait(ctx, deadline_ns, what);
    /* Not idle when this turn has fulfilled the condition: by now a nap is long. */
    else if (tci_progress_all(ctx) == 0 && !what->is_there(what->arg))
        idle(ctx, tci_clock_ns(), deadline_ns, what->is_silent);
}

void tci_wait_look(tc_context *ctx)
{
    if (tci_guests_is_one(ctx))
        tci_guests_await_turn(ctx);
    else
        (void)tci_progress_turn(ctx);
}

void tci_wait_pin(tc_ep *ep)
{
    ep->life.pins++;
}

void tci_wait_unpin(tc_ep *ep)
{
    if (--ep->life.pins > 0 || (ep->state < TCI_EP_CLOSED && !tci_ep_is_leaving(ep)))
        return;
    tci_pending_add(&ep->core->pending, TCI_WORK_STATE);
}

static bool turn_and_see(tc_context *ctx)
{
    if (tci_progress_turn(ctx) == 0 && !ctx->core.pending.event &&
        !tci_send_space_came_to_any(&ctx->core))
        return false;
    ctx->core.pending.event = false;
    ctx->idle_since_ns = 0;
    return true;
}

/* On busy processors a few yields take longer than the timeout, so descriptors are polled once
 * in any case. The turn after that handles their events. */
static tc_status look_once_more(tc_context *ctx, uint64_t begun_ns)
{
    if (ctx->serviced_ns >= begun_ns)
        return TC_E_TIMEOUT;
    unsigned run = tci_progress_all(ctx);
    return turn_and_see(ctx) || run > 0 ? TC_OK : TC_E_TIMEOUT;
}

void tci_wait_serve(tc_context *ctx)
{
    ctx->core.pending.activity = false;
    bool happened = turn_and_see(ctx) || ctx->core.pending.activity;
    tci_guests_tell(ctx, happened);
    if (!happened)
        idle(ctx, tci_clock_ns(), UINT64_MAX, false);
    tci_guests_let_in(ctx);
}

static tc_status wait_alone(tc_context *ctx, uint64_t timeout_ns)
{
    uint64_t begun_ns = 0; /* set when the clock is first read */
    ctx->idle_since_ns = 0;
    while (!turn_and_see(ctx)) {
        uint64_t now_ns = tci_clock_ns();
        if (timeout_ns == 0)
            return TC_E_TIMEOUT;
        if (begun_ns == 0)
            begun_ns = now_ns;
        uint64_t deadline_ns = tci_deadline_from(begun_ns, timeout_ns);
        if (now_ns >= deadline_ns)
            return look_once_more(ctx, begun_ns);
        idle(ctx, now_ns, deadline_ns, false);
    }
    return TC_OK;
}

tc_status tc_wait(tc_context *ctx, uint64_t timeout_ns)
{
    if (tci_guests_is_one(ctx))
        return tci_guests_wait(ctx, tci_deadline_after(timeout_ns), NULL);
    if (tci_core_is_busy(&ctx->core))
        return TC_E_BUSY;
    bool entered = tci_sole_user_enter(&ctx->core, "tc_wait");
    tc_status status = wait_alone(ctx, timeout_ns);
    tci_sole_user_leave(&ctx->core, entered);
    return status;
}

const char *tc_wait_instruction(void)
{
    return tci_line_wait_name();
}

/* --- waiting elsewhere ------------------------------------------------------------------- */

int tc_context_fd(const tc_context *ctx)
{
    return ctx->wait_fd;
}

tc_status tc_context_arm(tc_context *ctx)
{
    if (tci_guests_is_one(ctx) || tci_core_is_busy(&ctx->core))
        return TC_E_BUSY;
    /* The next tc_progress checks everything, and disarms. */
    ctx->countdown = 0;
    tci_pending_add(&ctx->core.pending, TCI_WORK_SERVICE);
    tci_frame_out_end_turns(&ctx->core);
    bool rung = tci_arming_arm(ctx);
    /* tci_arming_finds_work does not check for capacity that a turn has noted already. */
    if (tci_arming_finds_work(ctx, false) || tci_send_space_came_to_any(&ctx->core)) {
        tci_arming_disarm(ctx);
        return TC_E_AGAIN;
    }
    return rung ? TC_OK : TC_E_UNSUPPORTED;
}
