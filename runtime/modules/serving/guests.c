/* A guest waits without the lock, on a word in its own stack. The serving thread sets the word
 * after a turn that fulfils the guest's condition. */
#include "modules/serving/guests_server.h"

#include "base/assertion.h"
#include "base/arch.h"
#include "base/error_text.h"
#include "base/futex.h"
#include "base/logger.h"
#include "core/calls_ops.h"
#include "core/sole_user.h"
#include "modules/serving/serving.h"
#include "transfer/frame_out.h"

#include <sched.h>
#include <tc/thread.h>

/* How long a thread lets quicker ones take the lock before it. Peers wait for the serving
 * thread. */
#define PATIENCE_NS 200000u
#define SERVER_PATIENCE_NS 50000u
/* During a longer yield another thread ran. */
#define SHARED_YIELD_NS 1000u
#define YIELDS 20u

/* A waiting thread: on its own stack, and in the list of the context's guests. */
typedef struct tci_guest {
    const tci_awaited *what; /* NULL: any event */
    bool wants_turn;         /* any turn will do */
    uint32_t told;
    struct tci_guest *next; /* bound: RLIMIT_NPROC */
} guest;

static bool is_other_thread(const tc_context *ctx)
{
    return ctx->guests.server != tci_thread_id_mark();
}

/* --- notifying --------------------------------------------------------------------------- */

/* The guest may be gone once the word is set, so only the word's address is used afterwards. */
static void tell(guest *g)
{
    uint32_t *told = &g->told;
    __atomic_store_n(told, 1, __ATOMIC_RELEASE);
    tci_futex_wake(told);
}

static bool has_it(const guest *g, bool something_happened)
{
    if (g->what == NULL)
        return g->wants_turn || something_happened;
    return (something_happened || g->what->is_silent) && g->what->is_there(g->what->arg);
}

/* Guests that were woken stay in the list until they have the lock. */
static void tell_guests(tc_context *ctx, bool something_happened)
{
    TCI_INVARIANT(guest_lock, tci_hand_lock_is_mine(&ctx->guests.lock));
    for (guest *g = ctx->guests.first; g != NULL; g = g->next) {
        if (__atomic_load_n(&g->told, __ATOMIC_RELAXED) == 0 && has_it(g, something_happened))
            tell(g);
    }
}

void tci_guests_tell_all(tc_context *ctx)
{
    for (guest *g = ctx->guests.first; g != NULL; g = g->next)
        tell(g);
}

/* --- the serving thread's sleep ---------------------------------------------------------- */

static void begin_sleep(tc_context *ctx, uint64_t until_ns)
{
    TCI_INVARIANT(guest_lock, tci_hand_lock_is_mine(&ctx->guests.lock));
    TCI_INVARIANT(guest_sleep, !ctx->guests.asleep);
    ctx->guests.asleep = true;
    ctx->guests.visited = false;
    ctx->guests.sleeps_until_ns = until_ns;
    tci_hand_lock_release(&ctx->guests.lock);
}

static bool end_sleep(tc_context *ctx)
{
    tci_guests_take(ctx);
    TCI_INVARIANT(guest_sleep, ctx->guests.asleep);
    ctx->guests.asleep = false;
    return ctx->guests.visited;
}

void tci_guests_take(tc_context *ctx)
{
    (void)tci_hand_lock_take(&ctx->guests.lock, UINT64_MAX, SERVER_PATIENCE_NS);
}

static void give_way(tc_context *ctx)
{
    tci_hand_lock_release(&ctx->guests.lock);
    (void)sched_yield();
    tci_guests_take(ctx);
}

static void let_in(tc_context *ctx)
{
    if (tci_hand_lock_is_wanted(&ctx->guests.lock))
        tci_hand_lock_pass(&ctx->guests.lock, SERVER_PATIENCE_NS);
}

void tci_guests_wake_server(tc_context *ctx)
{
    const uint64_t one = 1;
    if (ctx->guests.asleep && write(ctx->guests.wake_fd, &one, sizeof one) < 0)
        TC_LOG(TC_LOG_ERROR, "the serving thread could not be woken");
}

/* --- entering and leaving ---------------------------------------------------------------- */

/* Returns whether the sleeping thread wakes by itself for all work that a guest has left. It
 * has asked only peers that store into memory to wake it. */
static bool can_sleep_on(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    if (core->used != NULL)
        tci_frame_out_end_turns(core);
    return (tci_pending_causes(&core->pending) & ~(unsigned)TCI_SERVED) == 0 &&
           !core->pending.event && !core->pending.credit_blocked &&
           !core->pending.space_wanted &&
           tci_calls_next_deadline_ns(&ctx->core) >= ctx->guests.sleeps_until_ns;
}

static void leave(tc_context *ctx, bool waits_in_silence)
{
    if (ctx->guests.asleep && (waits_in_silence || !can_sleep_on(ctx)))
        tci_guests_wake_server(ctx);
    tci_hand_lock_release(&ctx->guests.lock);
}

static bool enter(tc_context *ctx, uint64_t deadline_ns)
{
    if (!tci_hand_lock_take(&ctx->guests.lock, deadline_ns, PATIENCE_NS))
        return false;
    ctx->guests.visited = true;
    return true;
}

tc_status tc_context_lock(tc_context *ctx, uint64_t timeout_ns, tc_error *err)
{
    if (__atomic_load_n(&ctx->guests.forked, __ATOMIC_RELAXED))
        return tci_error_set(err, TC_E_BUSY, "lock: in a fork the context is its parent's");
    if (tci_hand_lock_is_mine(&ctx->guests.lock))
        return tci_error_set(err, TC_E_BUSY,
                             "lock: this thread holds it already, as the serving thread does "
                             "inside an ifunc or a callback");
    if (!enter(ctx, tci_deadline_after(timeout_ns)))
        return tci_error_set(err, TC_E_TIMEOUT, "lock: others held it all the time");
    return TC_OK;
}

void tc_context_unlock(tc_context *ctx)
{
    if (__atomic_load_n(&ctx->guests.forked, __ATOMIC_RELAXED))
        return;
    if (!tci_hand_lock_is_mine(&ctx->guests.lock)) {
        TC_LOG(TC_LOG_ERROR, "tc_context_unlock: this thread does not hold the lock; ignored");
    } else if (tci_core_is_busy(&ctx->core)) {
        TC_LOG(TC_LOG_ERROR,
               "tc_context_unlock was called from inside an ifunc or a callback; ignored");
    } else {
        leave(ctx, false);
    }
}

/* --- waiting ----------------------------------------------------------------------------- */

/* Waits for the word as the option `wait` demands, until others want the processor. */
static void await_word(const tc_context *ctx, const uint32_t *told, uint64_t deadline_ns)
{
    const uint64_t policy = ctx->core.options.wait, begun_ns = tci_clock_ns();
    const bool sleeps = policy == TCI_WAIT_ADAPTIVE || policy == TCI_WAIT_BLOCK;
    uint64_t now_ns = begun_ns;
    unsigned yields = policy == TCI_WAIT_ADAPTIVE ? YIELDS : 0;
    while (__atomic_load_n(told, __ATOMIC_ACQUIRE) == 0 && now_ns < deadline_ns) {
        if (policy != TCI_WAIT_BLOCK && policy != TCI_WAIT_YIELD &&
            now_ns - begun_ns < ctx->core.options.spin) {
            TCI_ARCH_PAUSE();
        } else if (!sleeps) { /* lets the serving thread run first */
            (void)sched_yield();
        } else if (yields > 0) {
            (void)sched_yield();
            yields = tci_clock_ns() - now_ns > SHARED_YIELD_NS ? 0 : yields - 1;
        } else {
            tci_futex_wait(told, 0, deadline_ns);
        }
        now_ns = tci_clock_ns();
    }
}

static void leave_list(tci_guests *guests, const guest *own)
{
    guest **at = &guests->first;
    while (*at != own) {
        TCI_INVARIANT(guest_list, *at != NULL);
        at = &(*at)->next;
    }
    *at = own->next;
}

static void wait_as(tc_context *ctx, guest *own, uint64_t deadline_ns)
{
    TCI_INVARIANT(guest_lock, tci_hand_lock_is_mine(&ctx->guests.lock));
    TCI_INVARIANT(guest_list, ctx->guests.first != own && own->told == 0);
    own->next = ctx->guests.first;
    ctx->guests.first = own;
    leave(ctx, own->wants_turn || (own->what != NULL && own->what->is_silent));
    await_word(ctx, &own->told, deadline_ns);
    (void)enter(ctx, UINT64_MAX);
    leave_list(&ctx->guests, own);
}

/* A thread that waits without the lock does so in a loop. It has a log ration of its own, as it
 * must not use the context's without the lock. */
static bool is_allowed(const tc_context *ctx)
{
    static _Thread_local tci_log_ration ration __attribute__((tls_model("initial-exec")));
    if (tci_hand_lock_is_mine(&ctx->guests.lock))
        return true;
    TC_LOG_RATIONED(&ration, TC_LOG_ERROR,
                    "a context that a thread serves was used without tc_context_lock");
    return false;
}

static tc_status wait_for(tc_context *ctx, uint64_t deadline_ns, const tci_awaited *what)
{
    guest own = {.what = what};
    if (!is_allowed(ctx))
        return TC_E_BUSY;
    if (tci_clock_ns() >= deadline_ns)
        return TC_E_TIMEOUT;
    wait_as(ctx, &own, deadline_ns);
    return TC_OK;
}

static void await_turn(tc_context *ctx)
{
    guest own = {.wants_turn = true};
    if (is_allowed(ctx))
        wait_as(ctx, &own, UINT64_MAX);
}

const tci_guests_ops tci_guests_table = {
    .end = tci_serving_end,
    .is_other_thread = is_other_thread,
    .wait = wait_for,
    .await_turn = await_turn,
    .tell = tell_guests,
    .begin_sleep = begin_sleep,
    .end_sleep = end_sleep,
    .give_way = give_way,
    .let_in = let_in,
};
