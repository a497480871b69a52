/* A sample is a few words that every call changes. Equal samples mean the same call, and the
 * time of the first of them is the time that the call has run at least. The first part is the
 * watch's own thread, the second the calls of the context's thread. */
#include "modules/limits/call_watch.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/process_barrier.h"
#include "base/sanitized.h"
#include "bootstrap/host_port.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples per call_time_max. A call is reported at most a quarter of that time late. */
#define LOOKS 4u
#define PAUSE_MIN_NS TCI_NS_PER_MS
/* Short enough to detect calls of TCI_CALL_WATCH_BUSY_NS in time. */
#define PAUSE_MAX_NS (TCI_CALL_WATCH_BUSY_NS / LOOKS)
#define PAUSE_SOON_NS (20 * TCI_NS_PER_MS)

/* Values that stay the same while one call runs, and change with the next call. */
typedef struct call_sample {
    uint64_t batch;
    uint64_t head;       /* of the endpoint's ring: frames of every kind but plain calls */
    uint64_t calls_left; /* of the function: plain calls */
    uint64_t timed;      /* calls that were timed; between them calls_left may repeat */
    const tc_ifunc *fn;  /* NULL: injected code */
} call_sample;

struct tci_call_watch {
    uint64_t time_max_ns;
    bool has_barrier;
    pthread_t thread;
    pthread_cond_t stop;
    /* Written by the context's thread, and read by the watch's thread while `looking`. */
    const tc_ep *ep;            /* NULL: no function runs */
    const tci_current *current; /* of the thread that runs functions */
    uint64_t batch;
    bool looking; /* the context's thread waits for the lock; always set without a barrier */
    /* Guards all members below, and the objects that `ep` leads to: see call_watch.h. */
    pthread_mutex_t lock;
    bool stopping;
    unsigned named; /* calls reported since the last end */
    call_sample seen;
    uint64_t seen_ns; /* time of the first sample equal to `seen` */
    bool is_named;
    tc_long_call_callback callback;
    void *callback_user;
    tci_busy_callback busy_callback;
    void *busy_user;
};

/* --- the thread --------------------------------------------------------------------------- */

#define UNSYNCHRONISED __attribute__((no_sanitize("thread")))

/* The context's thread writes these words with plain, untorn stores: anything stronger would
 * add a cost to every call. Any mixture of old and new words differs from the previous sample.
 * Returns false if nothing of this context runs: the thread has begun a batch of another
 * context, or has not begun yet. */
static UNSYNCHRONISED bool take_sample(const tci_call_watch *watch, call_sample *sample_out)
{
    const tc_ep *ep = __atomic_load_n(&watch->ep, __ATOMIC_ACQUIRE);
    const tci_current *current = __atomic_load_n(&watch->current, __ATOMIC_RELAXED);
    if (ep == NULL || *(tc_ep *const volatile *)&current->ep != ep)
        return false;
    const tc_ifunc *fn = *(tc_ifunc *const volatile *)&current->fn;
    if (*(tc_ep *const volatile *)&current->ep != ep)
        return false;
    *sample_out = (call_sample){
        .batch = __atomic_load_n(&watch->batch, __ATOMIC_RELAXED),
        .head = *(const volatile uint64_t *)&ep->rx.ring.head,
        .calls_left = fn != NULL ? *(const volatile uint64_t *)&fn->calls_left : 0,
        .timed = fn != NULL ? *(const volatile uint64_t *)&fn->count.timed : 0,
        .fn = fn,
    };
    return true;
}

static bool is_same_call(const call_sample *a, const call_sample *b)
{
    return a->batch == b->batch && a->head == b->head && a->calls_left == b->calls_left &&
           a->timed == b->timed && a->fn == b->fn;
}

/* Has its own copies of texts: the originals may be freed when the lock is released. */
typedef struct long_call {
    tc_long_call call;
    tci_busy_call busy;
    char function[TCI_ARCHIVE_NAME_MAX + 1];
    char id[2 * sizeof(tci_content_id) + 1];
    char peer[TCI_HOST_PORT_TEXT_MAX];
} long_call;

static void describe_locked(const tci_call_watch *watch, const call_sample *sample,
                            uint64_t running_ns, long_call *out)
{
    const tc_ep *ep = watch->ep;
    *out = (long_call){.busy = {.running_ns = running_ns},
                       .call = {.running_ns = running_ns,
                                .time_max_ns = watch->time_max_ns,
                                .peer_pid = ep->peer.pid}};
    if (sample->fn != NULL) {
        (void)snprintf(out->function, sizeof out->function, "%s",
                       tci_archive_name(sample->fn->archive));
        for (size_t i = 0; i < sizeof sample->fn->id.bytes; i++)
            (void)snprintf(out->id + 2 * i, 3, "%02x", sample->fn->id.bytes[i]);
    }
    if (ep->stream != NULL)
        (void)snprintf(out->peer, sizeof out->peer, "%s", tci_stream_peer(ep->stream));
    else
        (void)snprintf(out->peer, sizeof out->peer, "connection %u", ep->connection);
    (void)snprintf(out->busy.function, sizeof out->busy.function, "%s", out->function);
    (void)snprintf(out->busy.sender, sizeof out->busy.sender, "%s",
                   ep->peer.identity[0] != '\0' ? ep->peer.identity : out->peer);
    out->call.function = out->function;
    out->call.id = out->id;
    out->call.peer = out->peer;
}

static void name(const tc_long_call *call)
{
    const bool is_injected = call->id[0] == '\0';
    TC_LOG(TC_LOG_WARN,
           "%s%s%s%s from %s, process %" PRIu64 ", has been running for %" PRIu64
           " ms; call_time_max is %" PRIu64 " ms",
           is_injected ? "injected code" : "function '", call->function,
           is_injected ? "" : "' ", call->id, call->peer, call->peer_pid,
           (uint64_t)(call->running_ns / TCI_NS_PER_MS),
           (uint64_t)(call->time_max_ns / TCI_NS_PER_MS));
}

/* Returns whether there is a call to sample. Nothing is freed meanwhile: the context's thread
 * either sees `looking` when it returns from functions, or has stored before the barrier that
 * it runs nothing. */
static bool begin_look_locked(tci_call_watch *watch)
{
    if (!watch->has_barrier)
        return true;
    if (__atomic_load_n(&watch->ep, __ATOMIC_RELAXED) == NULL)
        return false;
    __atomic_store_n(&watch->looking, true, __ATOMIC_SEQ_CST);
    return watch->has_barrier = tci_process_barrier();
}

/* Returns how long the same call has been seen; 0 if no call runs. */
static uint64_t take_look_locked(tci_call_watch *watch, uint64_t now_ns,
                                 call_sample *sample_out)
{
    bool is_running = begin_look_locked(watch) && take_sample(watch, sample_out);
    if (!is_running || watch->seen_ns == 0 || !is_same_call(sample_out, &watch->seen)) {
        watch->seen_ns = is_running ? now_ns : 0;
        if (is_running)
            watch->seen = *sample_out;
        watch->is_named = false;
    }
    return is_running ? now_ns - watch->seen_ns : 0;
}

static void end_look_locked(tci_call_watch *watch)
{
    __atomic_store_n(&watch->looking, !watch->has_barrier, __ATOMIC_RELEASE);
}

bool tci_call_watch_look(tci_call_watch *watch, uint64_t now_ns)
{
    call_sample sample;
    long_call found;
    pthread_mutex_lock(&watch->lock);
    uint64_t running_ns = take_look_locked(watch, now_ns, &sample);
    bool is_long = running_ns >= watch->time_max_ns && !watch->is_named;
    bool is_busy = running_ns >= TCI_CALL_WATCH_BUSY_NS;
    if (is_long) {
        watch->is_named = true;
        __atomic_store_n(&watch->named, watch->named + 1, __ATOMIC_RELAXED);
    }
    if (is_long || is_busy) {
        TCI_RACES_ALLOWED(); /* written when the call began, before this sample's barrier */
        describe_locked(watch, &sample, running_ns, &found);
        TCI_RACES_FORBIDDEN();
    }
    end_look_locked(watch);
    tc_long_call_callback callback = watch->callback;
    void *user = watch->callback_user;
    tci_busy_callback busy_callback = watch->busy_callback;
    void *busy_user = watch->busy_user;
    pthread_mutex_unlock(&watch->lock);
    if (is_long)
        name(&found.call);
    if (is_long && callback != NULL)
        callback(user, &found.call);
    return busy_callback != NULL && busy_callback(busy_user, is_busy ? &found.busy : NULL);
}

static void *run(void *user)
{
    tci_call_watch *watch = user;
    const uint64_t part_ns = watch->time_max_ns / LOOKS;
    const uint64_t at_most_ns = part_ns < PAUSE_MAX_NS ? part_ns : PAUSE_MAX_NS;
    const uint64_t pause_ns = at_most_ns > PAUSE_MIN_NS ? at_most_ns : PAUSE_MIN_NS;
    bool soon = false;
    pthread_mutex_lock(&watch->lock);
    while (!watch->stopping) {
        uint64_t next_ns =
            tci_deadline_after(soon && pause_ns > PAUSE_SOON_NS ? PAUSE_SOON_NS : pause_ns);
        const struct timespec next = {.tv_sec = (time_t)(next_ns / TCI_NS_PER_S),
                                      .tv_nsec = (long)(next_ns % TCI_NS_PER_S)};
        (void)pthread_cond_timedwait(&watch->stop, &watch->lock, &next);
        pthread_mutex_unlock(&watch->lock);
        soon = tci_call_watch_look(watch, tci_clock_ns());
        pthread_mutex_lock(&watch->lock);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

/* --- life cycle --------------------------------------------------------------------------- */

/* Blocks all signals in the thread: the application's signals are for its own threads. */
static int start_thread(tci_call_watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* bound: RLIMIT_NPROC */
    int e = pthread_create(&watch->thread, NULL, run, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e;
}

tc_status tci_call_watch_create(uint64_t time_max_ns, tci_call_watch **watch_out, tc_error *err)
{
    tci_call_watch *watch = calloc(1, sizeof *watch);
    pthread_condattr_t clock;
    if (watch == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "call_time_max: out of memory");
    watch->time_max_ns = time_max_ns;
    watch->has_barrier = tci_process_barrier_register();
    watch->looking = !watch->has_barrier;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->stop, &clock);
    pthread_condattr_destroy(&clock);
    int e = start_thread(watch);
    if (e != 0) {
        pthread_cond_destroy(&watch->stop);
        pthread_mutex_destroy(&watch->lock);
        free(watch);
        return tci_error_errno(err, TC_E_IO, e, "call_time_max: no thread");
    }
    *watch_out = watch;
    return TC_OK;
}

void tci_call_watch_destroy(tci_call_watch *watch)
{
    if (watch == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->stopping = true;
    pthread_cond_signal(&watch->stop);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->stop);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

void tci_call_watch_set_callback(tci_call_watch *watch, tc_long_call_callback callback,
                                 void *user)
{
    pthread_mutex_lock(&watch->lock);
    watch->callback = callback;
    watch->callback_user = user;
    pthread_mutex_unlock(&watch->lock);
}

void tci_call_watch_set_busy_callback(tci_call_watch *watch, tci_busy_callback callback,
                                      void *user)
{
    pthread_mutex_lock(&watch->lock);
    watch->busy_callback = callback;
    watch->busy_user = user;
    pthread_mutex_unlock(&watch->lock);
}

/* --- the context's thread ----------------------------------------------------------------- */

void tci_call_watch_begin(tci_call_watch *watch, const tc_ep *ep)
{
    __atomic_store_n(&watch->current, tci_current_get(), __ATOMIC_RELAXED);
    __atomic_store_n(&watch->batch, watch->batch + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&watch->ep, ep, __ATOMIC_RELEASE);
}

/* A sample that has not begun sees earlier stores; one that has begun is waited for. The
 * watch's thread executes the barrier that pairs the store with this load, so only the compiler
 * must keep their order here. */
static inline bool is_looked_at(const tci_call_watch *watch)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&watch->looking, __ATOMIC_ACQUIRE);
}

/* Does nothing in a forked child: there the lock may be held by a thread that does not
 * exist. */
void tci_call_watch_sync(tci_call_watch *watch, const tci_core *core)
{
    if (!is_looked_at(watch) || tci_core_is_forked(core))
        return;
    pthread_mutex_lock(&watch->lock);
    pthread_mutex_unlock(&watch->lock);
}

static void count_named(tci_call_watch *watch, tci_core *core)
{
    pthread_mutex_lock(&watch->lock);
    core->counters[TCI_CALLS_LONG] += watch->named;
    __atomic_store_n(&watch->named, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&watch->lock);
}

void tci_call_watch_end(tci_call_watch *watch, tci_core *core)
{
    if (tci_core_is_forked(core))
        return;
    __atomic_store_n(&watch->ep, NULL, __ATOMIC_RELEASE);
    tci_call_watch_sync(watch, core);
    if (__atomic_load_n(&watch->named, __ATOMIC_RELAXED) > 0)
        count_named(watch, core);
}
