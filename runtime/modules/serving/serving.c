/* The serving thread holds the context's lock, except while it sleeps, yields or lets guests
 * in. Starting and stopping it need the lock, too. */
#include "modules/serving/serving.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "base/sized_struct.h"
#include "context/arming.h"
#include "context/crash_stack.h"
#include "context/wait.h"
#include "core/module.h"
#include "modules/serving/guests_server.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <tc/thread.h>
#include <unistd.h>

/* The longest name of a thread in Linux. */
#define NAME_BYTES_MAX 15u

static void *serve(void *arg)
{
    tc_context *ctx = arg;
    void *crash_stack = tci_crash_stack_begin();
    tci_guests_take(ctx);
    ctx->guests.server = tci_thread_id_mark();
    while (ctx->guests.runs)
        tci_wait_serve(ctx);
    tci_hand_lock_release(&ctx->guests.lock);
    tci_crash_stack_end(crash_stack);
    return NULL;
}

/* --- starting ---------------------------------------------------------------------------- */

static tc_status read_params(const tc_thread_params *given, size_t given_size,
                             tc_thread_params *own_out, tc_error *err)
{
    TC_TRY(tci_sized_struct_read(own_out, sizeof *own_out, given, given_size, err));
    if (own_out->name != NULL && strlen(own_out->name) > NAME_BYTES_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "thread: the name \"%.40s\" is longer than %u bytes",
                             own_out->name, NAME_BYTES_MAX);
    if (own_out->pinned && own_out->cpu >= CPU_SETSIZE)
        return tci_error_set(err, TC_E_INVALID, "thread: cpu %u, expected less than %d",
                             own_out->cpu, CPU_SETSIZE);
    return TC_OK;
}

/* Fills in the signals to block: the application's signals are for its own threads. Signals
 * that an instruction causes still reach their handlers. */
static void signals_of_others(sigset_t *set_out)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigfillset(set_out);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(set_out, own[i]);
}

static int create_thread(tc_context *ctx, const tc_thread_params *params)
{
    pthread_attr_t attributes;
    sigset_t blocked, before;
    cpu_set_t cpus;
    int e = pthread_attr_init(&attributes);
    if (e != 0)
        return e;
    CPU_ZERO(&cpus);
    if (params->pinned) {
        CPU_SET(params->cpu, &cpus);
        e = pthread_attr_setaffinity_np(&attributes, sizeof cpus, &cpus);
    }
    signals_of_others(&blocked);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    if (e == 0)
        /* bound: RLIMIT_NPROC */
        e = pthread_create(&ctx->guests.thread, &attributes, serve, ctx);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (e == 0)
        (void)pthread_setname_np(ctx->guests.thread,
                                 params->name != NULL ? params->name : "tc-context");
    return e;
}

static tc_status make_wake_fd(tc_context *ctx, tc_error *err)
{
    if (ctx->guests.wake_fd >= 0)
        return TC_OK;
    ctx->guests.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ctx->guests.wake_fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "thread: an eventfd could not be made");
    return tci_core_watch(&ctx->core, ctx->guests.wake_fd, TCI_WATCH_GUEST, err);
}

/* Called with the lock held. */
static tc_status start(tc_context *ctx, const tc_thread_params *params, tc_error *err)
{
    if (tci_pending_has(&ctx->core.pending, TCI_SERVED))
        return tci_error_set(err, TC_E_BUSY, "thread: one serves this context already");
    TC_TRY(make_wake_fd(ctx, err));
    tci_arming_disarm(ctx);
    ctx->guests.runs = true;
    tci_pending_add(&ctx->core.pending, TCI_SERVED);
    int e = create_thread(ctx, params);
    if (e == 0)
        return TC_OK;
    ctx->guests.runs = false;
    tci_pending_set(&ctx->core.pending, TCI_SERVED, false);
    if (e == EINVAL && params->pinned)
        return tci_error_set(err, TC_E_INVALID,
                             "thread: cpu %u is none that this process may run on",
                             params->cpu);
    return tci_error_errno(err, TC_E_NO_MEMORY, e, "thread: it could not be started");
}

/* Returns whether this is inside the serving thread, which holds the lock. */
static bool is_inside(const tc_context *ctx)
{
    return tci_hand_lock_is_mine(&ctx->guests.lock) && tci_core_is_busy(&ctx->core);
}

static tc_status check_caller(const tc_context *ctx, tc_error *err)
{
    if (__atomic_load_n(&ctx->guests.forked, __ATOMIC_RELAXED))
        return tci_error_set(err, TC_E_BUSY, "thread: in a fork the context is its parent's");
    if (is_inside(ctx))
        return tci_error_set(err, TC_E_BUSY, "thread: called from inside an ifunc");
    return TC_OK;
}

/* Takes the lock unless this thread holds it. Returns whether it was held before. */
static bool take_unless_held(tc_context *ctx)
{
    bool held = tci_hand_lock_is_mine(&ctx->guests.lock);
    if (!held)
        (void)tci_hand_lock_take(&ctx->guests.lock, UINT64_MAX, 0);
    return held;
}

tc_status tc_context_start_thread_sized(tc_context *ctx, const tc_thread_params *params,
                                        size_t params_size, tc_error *err)
{
    tc_thread_params own;
    TC_TRY(check_caller(ctx, err));
    TC_TRY(read_params(params, params_size, &own, err));
    bool held = take_unless_held(ctx);
    tc_status status =
        tci_core_is_busy(&ctx->core)
            ? tci_error_set(err, TC_E_BUSY, "thread: called from inside an ifunc")
            : start(ctx, &own, err);
    if (!held)
        tci_hand_lock_release(&ctx->guests.lock);
    return status;
}

/* --- stopping ---------------------------------------------------------------------------- */

/* Called with the lock held, which it releases meanwhile. No thread fulfils the conditions of
 * guests afterwards: each progresses itself, as in any context. */
static void stop(tc_context *ctx)
{
    if (!ctx->guests.runs)
        return;
    ctx->guests.runs = false;
    tci_guests_wake_server(ctx);
    tci_hand_lock_release(&ctx->guests.lock);
    (void)pthread_join(ctx->guests.thread, NULL);
    (void)tci_hand_lock_take(&ctx->guests.lock, UINT64_MAX, 0);
    ctx->guests.server = 0;
    tci_pending_set(&ctx->core.pending, TCI_SERVED, false);
    tci_guests_tell_all(ctx);
}

tc_status tc_context_stop_thread(tc_context *ctx, tc_error *err)
{
    TC_TRY(check_caller(ctx, err));
    bool held = take_unless_held(ctx);
    stop(ctx);
    if (!held)
        tci_hand_lock_release(&ctx->guests.lock);
    return TC_OK;
}

void tci_serving_end(tc_context *ctx)
{
    if (check_caller(ctx, NULL) != TC_OK)
        return;
    (void)take_unless_held(ctx);
    stop(ctx);
    tci_hand_lock_release(&ctx->guests.lock);
}

/* --- the module -------------------------------------------------------------------------- */

static tc_status attach(tci_core *core, tc_error *err)
{
    tc_context *ctx = core->context;
    TC_TRY(tci_module_take((const void **)&ctx->guests.ops, &tci_guests_table, "serving", err));
    tci_hand_lock_init(&ctx->guests.lock);
    ctx->guests.wake_fd = -1;
    return TC_OK;
}

static void detach(tci_core *core)
{
    tc_context *ctx = core->context;
    if (ctx->guests.ops != &tci_guests_table)
        return;
    tci_hand_lock_fini(&ctx->guests.lock);
    if (ctx->guests.wake_fd >= 0)
        (void)close(ctx->guests.wake_fd);
}

const tci_module tci_serving_module = {.name = "serving", .attach = attach, .detach = detach};
