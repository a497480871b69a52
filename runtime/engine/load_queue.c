/* One lock guards the queue. The `notify` of a job's handle is called under it, so that the
 * owner of a finished job may go away: finishing takes the lock. */
#include "load_queue.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "engine_handle.h"
#include "image/code_sync.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#define THREADS_MAX 64u
/* LLVM's passes recurse as deep as code is nested. */
#define STACK_BYTES (8u << 20)
/* A thread that wakes up takes the processor from one that runs messages, for as long as it
 * compiles, unless it is nicer. Optimised code can wait for threads that have other work
 * now. */
#define SOON_NICE 5
#define BACKGROUND_NICE 10

struct tci_load_job {
    tci_load_job *next; /* bound: functions_max */
    tci_engine_handle *handle;
    tci_load_source source;
    tci_load_plan plan;
    tci_code_unit *replaces; /* the unit to optimise; or NULL */
    tci_code_unit *unit;     /* the result; NULL on failure */
    tc_status status;
    tc_error error;
    atomic_bool cancelled; /* its owner does not need it any more */
    bool begun;
    bool ended; /* under the lock; `done` is read without it */
    atomic_bool done;
    uint64_t begun_ns; /* time of the request */
};

typedef struct job_list {
    tci_load_job *first;
    tci_load_job **last;
    unsigned idle; /* threads that wait for jobs */
    unsigned threads;
    unsigned limit;
    int nice;
} job_list;

/* Jobs that may have to compile; jobs that no caller waits for; and jobs that need no compiler,
 * which do not wait behind those that do. */
enum { SOON, BACKGROUND, PLACING, LISTS };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_cond_t ended;
    bool stop;
    job_list lists[LISTS];
    pthread_t threads[THREADS_MAX + 2];
    unsigned thread_count;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .more = PTHREAD_COND_INITIALIZER,
           .ended = PTHREAD_COND_INITIALIZER,
           .lists = {[SOON] = {.limit = 2, .nice = SOON_NICE},
                     [BACKGROUND] = {.limit = 1, .nice = BACKGROUND_NICE},
                     [PLACING] = {.limit = 1, .nice = SOON_NICE}}};

/* --- the work ---------------------------------------------------------------------------- */

static void do_job(tci_load_job *job)
{
    uint64_t now_ns = tci_clock_ns();
    if (job->replaces != NULL)
        job->status = tci_code_unit_tier_up(job->handle, &job->source, &job->plan,
                                            job->replaces, &job->unit, &job->error);
    else
        job->status = tci_code_unit_execute(job->handle, &job->source, &job->plan, &job->unit,
                                            &job->error);
    if (job->source.work_ns != NULL)
        *job->source.work_ns = tci_clock_ns() - now_ns;
    if (job->status == TC_OK)
        tci_code_unit_note_wait(job->unit, now_ns - job->begun_ns);
}

static void end_locked(tci_load_job *job)
{
    TCI_INVARIANT(job_state, job->begun && !job->ended);
    job->ended = true;
    atomic_store_explicit(&job->done, true, memory_order_release);
    if (job->handle->notify != NULL)
        job->handle->notify(job->handle->notify_user);
    pthread_cond_broadcast(&queue.ended);
}

static tci_load_job *take_locked(job_list *list)
{
    tci_load_job *job = list->first;
    if (job == NULL)
        return NULL;
    list->first = job->next;
    if (list->first == NULL)
        list->last = &list->first;
    TCI_INVARIANT(job_state, !job->begun && !job->ended);
    job->begun = true;
    return job;
}

static void *work(void *argument)
{
    job_list *list = argument;
    if (list->nice != 0)
        (void)setpriority(PRIO_PROCESS, 0, list->nice); /* of this thread, on Linux */
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        tci_load_job *job = take_locked(list);
        if (job != NULL) {
            pthread_mutex_unlock(&queue.lock);
            do_job(job);
            tci_object_write *pending =
                job->unit != NULL ? tci_code_unit_take_pending_write(job->unit) : NULL;
            pthread_mutex_lock(&queue.lock);
            end_locked(job); /* from here on the owner may free it */
            pthread_mutex_unlock(&queue.lock);
            tci_object_write_store(pending);
            pthread_mutex_lock(&queue.lock);
        } else if (queue.stop) {
            break;
        } else {
            list->idle++;
            TCI_INVARIANT_IS(job_threads, list->idle, <=, list->threads);
            pthread_cond_wait(&queue.more, &queue.lock);
            list->idle--;
        }
    }
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

/* Blocks all signals: the application's signals are for its own threads. */
static bool start_thread_locked(job_list *list)
{
    sigset_t all, old;
    pthread_attr_t attributes;
    if (queue.thread_count == THREADS_MAX + 2 || pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    /* bound: THREADS_MAX */
    bool ok = pthread_create(&queue.threads[queue.thread_count], &attributes, work, list) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (ok) {
        (void)pthread_setname_np(queue.threads[queue.thread_count], "tc-loader");
        queue.thread_count++;
        list->threads++;
        TCI_INVARIANT_IS(job_threads, list->threads, <=, list->limit);
    }
    return ok;
}

static unsigned waiting_jobs(const job_list *list)
{
    unsigned n = 0;
    for (const tci_load_job *job = list->first; job != NULL; job = job->next)
        n++;
    return n;
}

static job_list *list_of(const tci_load_job *job)
{
    if (job->replaces != NULL)
        return &queue.lists[BACKGROUND];
    return &queue.lists[job->plan.kind == TCI_LOAD_IMAGE || job->plan.kind == TCI_LOAD_SHARED
                            ? PLACING
                            : SOON];
}

static tc_status submit(tci_load_job *job, tc_error *err)
{
    job_list *list = list_of(job);
    tc_status status = TC_OK;
    pthread_mutex_lock(&queue.lock);
    if (list->last == NULL)
        list->last = &list->first;
    if (waiting_jobs(list) >= list->idle && list->threads < list->limit &&
        !start_thread_locked(list) && list->threads == 0)
        status = tci_error_set(err, TC_E_NO_MEMORY, "no thread could be started");
    if (status == TC_OK) {
        TCI_INVARIANT(job_list, *list->last == NULL && job->next == NULL);
        *list->last = job;
        list->last = &job->next;
        pthread_cond_broadcast(&queue.more);
    }
    pthread_mutex_unlock(&queue.lock);
    return status;
}

/* --- jobs -------------------------------------------------------------------------------- */

static tc_status begin(tci_engine_handle *handle, const tci_load_source *source,
                       const tci_load_plan *plan, tci_code_unit *replaces,
                       tci_load_job **job_out, tc_error *err)
{
    tci_load_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "loading: out of memory");
    job->handle = handle;
    job->source = *source;
    job->source.cancelled = &job->cancelled;
    job->plan = *plan;
    job->replaces = replaces;
    job->begun_ns = tci_clock_ns();
    tc_status status = submit(job, err);
    if (status == TC_OK)
        *job_out = job;
    else
        free(job);
    return status;
}

tc_status tci_load_queue_begin(tci_engine_handle *handle, const tci_load_source *source,
                               tci_code_unit **unit_out, tci_load_job **job_out, tc_error *err)
{
    tci_load_plan plan;
    TC_TRY(tci_load_plan_make(&handle->policy, source, &plan, err));
    tc_status status = tci_code_unit_execute_now(handle, source, &plan, unit_out, err);
    if (status != TC_E_AGAIN)
        return status;
    TC_TRY(begin(handle, source, &plan, NULL, job_out, err));
    return TC_E_AGAIN;
}

tc_status tci_load_queue_begin_tier_up(tci_engine_handle *handle, const tci_load_source *source,
                                       tci_code_unit *unit, tci_load_job **job_out,
                                       tc_error *err)
{
    tci_load_plan plan;
    TC_TRY(tci_load_plan_tier_up(&handle->policy, source, tci_code_unit_has_state(unit), &plan,
                                 err));
    return begin(handle, source, &plan, unit, job_out, err);
}

bool tci_load_queue_is_done(const tci_load_job *job)
{
    return atomic_load_explicit(&job->done, memory_order_acquire);
}

bool tci_load_queue_is_begun(const tci_load_job *job)
{
    pthread_mutex_lock(&queue.lock);
    bool begun = job->begun;
    pthread_mutex_unlock(&queue.lock);
    return begun;
}

static void await_end(tci_load_job *job)
{
    pthread_mutex_lock(&queue.lock);
    while (!job->ended)
        pthread_cond_wait(&queue.ended, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

tc_status tci_load_queue_finish(tci_load_job *job, tci_code_unit **unit_out,
                                tci_code_unit **old_out, tc_error *err)
{
    *old_out = NULL;
    await_end(job);
    tci_code_sync_adopt();
    tc_status status = job->status;
    if (status != TC_OK) {
        if (err != NULL)
            *err = job->error;
    } else if (job->replaces != NULL) {
        tci_code_unit_replace(job->replaces, job->unit);
        *unit_out = job->replaces;
        *old_out = job->unit;
    } else {
        *unit_out = job->unit;
    }
    free(job);
    return status;
}

/* Takes a job out of its list; false if a thread has begun it. */
static bool withdraw(tci_load_job *job)
{
    job_list *list = list_of(job);
    pthread_mutex_lock(&queue.lock);
    bool waits = !job->begun;
    if (waits) {
        tci_load_job **link = &list->first;
        while (*link != job) {
            TCI_INVARIANT(job_list, *link != NULL);
            link = &(*link)->next;
        }
        *link = job->next;
        if (job->next == NULL)
            list->last = link;
    }
    pthread_mutex_unlock(&queue.lock);
    return waits;
}

void tci_load_queue_cancel(tci_load_job *job)
{
    if (job == NULL)
        return;
    if (!withdraw(job)) {
        atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
        await_end(job);
        tci_code_unit_unload(job->handle, job->unit);
    }
    free(job);
}

/* --- threads ----------------------------------------------------------------------------- */

void tci_load_queue_limit(unsigned threads)
{
    pthread_mutex_lock(&queue.lock);
    queue.lists[SOON].limit = threads < THREADS_MAX ? threads : THREADS_MAX;
    pthread_mutex_unlock(&queue.lock);
}

void tci_load_queue_stop(void)
{
    pthread_mutex_lock(&queue.lock);
    unsigned count = queue.thread_count;
    queue.stop = true;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
    for (unsigned i = 0; i < count; i++)
        (void)pthread_join(queue.threads[i], NULL);
    pthread_mutex_lock(&queue.lock);
    queue.stop = false;
    queue.thread_count = 0;
    for (int i = 0; i < LISTS; i++)
        queue.lists[i].threads = 0;
    pthread_mutex_unlock(&queue.lock);
}
