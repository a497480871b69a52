/* Functions that run when an MPI request completes, in this process or at another rank.
 *
 *   tc_mpi_continue_params to_7 = {.group = group, .rank = 7, .received = 1};
 *   MPI_Irecv(buffer, 64, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
 *   tc_mpi_continue(set, &request, NULL, count, buffer, 64, &to_7, &err);
 *   ...
 *   tc_mpi_continuations_progress(set, &err);   now and then, beside tc_progress
 *
 * When the receive has completed, count runs at rank 7 with the bytes received. A process's own
 * rank is one of them.
 *
 * A set looks at all of its requests by one MPI_Testsome, so keep those that wait for long in
 * another one. Functions here that call MPI say so: MPI_THREAD_FUNNELED is enough.
 *
 * A continuation ends in one of these ways:
 *
 *   TC_OK            the request has completed, and the function was sent
 *   TC_E_IO          the request failed, and the communicator's error handler returned; the
 *                    text is MPI's
 *   TC_E_CLOSED      the request was cancelled; or as tc_send
 *   as tc_send       the request has completed, but the function could not be sent: the
 *                    endpoint was closed, or the function was refused. The text is that of
 *                    tc_send_error. With a group also as tc_group_send
 *
 * For all but TC_OK no function runs. TC_E_AGAIN of tc_send is no end: each progress tries
 * again.
 *
 * Order. Functions to one endpoint or rank run in the order in which progress found their
 * requests complete, and of those that it found at once in the order of MPI_Testsome's indices:
 * Open MPI and MPICH go by that of tc_mpi_continue. One that waits for credit is not overtaken
 * by others to the same rank; other ranks go on. Requests themselves complete in any order: of
 * receives of one stream, a later one may be found first (MPICH 4.0 does so).
 *
 * Persistent requests are inactive when they have completed. `done` receives the request, and
 * may start it and continue it again; without `done` it is freed.
 *
 * Names with tc_mpi_internal_ may change. A set belongs to the thread of its context, or to the
 * holder of its lock (<tc/thread.h>). */
#ifndef TC_MPI_CONTINUE_H
#define TC_MPI_CONTINUE_H

#include <tc/context.h>
#include <tc/ifunc.h>
#include <tc/mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_MPI_CONTINUATIONS 1024u      /* of a set, with the capacity 0 */
#define TC_MPI_CONTINUATIONS_MAX 65536u /* of a set */

/* How a continuation ended. Pointers are valid during the callback. */
typedef struct tc_mpi_outcome {
    tc_status status;
    const char *text;         /* reason of a failure; "" if status is TC_OK */
    const MPI_Status *result; /* of the request: source, tag, count, error */
    MPI_Request request;      /* inactive, the callback's; MPI_REQUEST_NULL: not persistent */
} tc_mpi_outcome;

/* Called once for each continuation, by progress and wait. It must not block. It may add
 * continuations. */
typedef void (*tc_mpi_callback)(void *user, const tc_mpi_outcome *outcome);

/* A zeroed struct is valid. */
typedef struct tc_mpi_continue_params {
    tc_mpi_callback done; /* or NULL */
    void *user;           /* first argument of done */
    tc_group *group;      /* where the function runs, if no endpoint is given */
    uint32_t rank;        /* in group */
    int received;         /* 1: the function gets as many bytes as came, `size` at most */
} tc_mpi_continue_params;

/* One continuation, waiting or ready to be sent; its members may change. */
struct tc_mpi_continuation_state {
    tc_ep *ep;
    tc_ifunc *fn;
    const void *args;
    size_t size;
    tc_mpi_continue_params params;
    MPI_Request request; /* persistent, of one that is ready */
    MPI_Status result;   /* of one that is ready */
    tc_status status;
    int error;    /* of MPI */
    int was_sent; /* status is that of tc_send */
};

/* A set. The caller's memory; its members may change. */
typedef struct tc_mpi_continuations {
    tc_context *ctx;
    uint32_t capacity; /* of waiting and ready ones together */
    uint32_t used;     /* entries of `requests`, with those that are NULL by now */
    uint32_t waiting, ready_count;
    uint32_t ended; /* of the ready ones, while progress goes through them */
    int is_running;
    MPI_Request *requests; /* 2 * capacity, so that gaps are closed seldom */
    struct tc_mpi_continuation_state *records, *ready; /* beside them; to be sent in order */
    int *indices;
    MPI_Status *results;
    tc_error failure; /* the first one without `done` */
} tc_mpi_continuations;

/* --- parts -------------------------------------------------------------------------------- */

/* Endpoints without credit that one progress remembers. With more of them, it ends there. */
#define TC_MPI_INTERNAL_STALLED 16u

static inline void tc_mpi_internal_close_gaps(tc_mpi_continuations *set)
{
    uint32_t from, to = 0;
    for (from = 0; from < set->used; from++) {
        if (set->requests[from] == MPI_REQUEST_NULL)
            continue;
        set->requests[to] = set->requests[from];
        set->records[to++] = set->records[from];
    }
    set->used = to;
}

/* Takes a request that has ended from those that wait. */
static inline void tc_mpi_internal_take(tc_mpi_continuations *set, int index,
                                        const MPI_Status *result, int error)
{
    struct tc_mpi_continuation_state *c = &set->ready[set->ready_count++];
    int is_cancelled = 0, bytes = 0;
    *c = set->records[index];
    c->result = *result;
    c->request = set->requests[index];
    c->error = error;
    set->requests[index] = MPI_REQUEST_NULL;
    set->waiting--;
    if (c->error == MPI_SUCCESS)
        c->error = MPI_Test_cancelled(result, &is_cancelled);
    if (c->error == MPI_SUCCESS && c->params.received && !is_cancelled)
        c->error = MPI_Get_count(result, MPI_BYTE, &bytes);
    if (c->error != MPI_SUCCESS)
        c->status = TC_E_IO;
    else if (is_cancelled)
        c->status = TC_E_CLOSED;
    else if (bytes < 0)
        c->status = TC_E_TOO_LARGE;
    else if (c->params.received && (size_t)bytes < c->size)
        c->size = (size_t)bytes;
}

/* Moves continuations from waiting to ready when their requests have ended. For one request
 * MPI_Test is faster, and returns the request's own error. */
static inline tc_status tc_mpi_internal_test(tc_mpi_continuations *set, tc_error *err)
{
    int count = 0, i, code;
    if (set->used == 1) {
        code = MPI_Test(set->requests, &count, set->results);
        count = count || code != MPI_SUCCESS;
        set->indices[0] = 0;
        set->results[0].MPI_ERROR = code;
    } else {
        code = MPI_Testsome((int)set->used, set->requests, &count, set->indices, set->results);
        if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
            return tc_mpi_internal_check(code, err);
    }
    for (i = 0; count != MPI_UNDEFINED && i < count; i++)
        tc_mpi_internal_take(set, set->indices[i], &set->results[i],
                             code == MPI_SUCCESS ? MPI_SUCCESS : set->results[i].MPI_ERROR);
    if (set->used > 2 * set->waiting + 32 || set->waiting == 0)
        tc_mpi_internal_close_gaps(set);
    return TC_OK;
}

/* Why a continuation has ended without its function. */
static inline void tc_mpi_internal_explain(const tc_mpi_continuations *set,
                                           const struct tc_mpi_continuation_state *c,
                                           tc_error *why)
{
    if (c->error != MPI_SUCCESS)
        (void)tc_mpi_internal_check(c->error, why);
    else if (c->was_sent)
        (void)tc_send_error(set->ctx, why);
    else
        (void)tc_mpi_internal_fail(why, c->status,
                                   c->status == TC_E_CLOSED ? "the request was cancelled"
                                                            : "2 GiB or more were received");
}

/* Reports the end of a continuation, to `done` or, as a failure, to the caller of progress. */
static inline void tc_mpi_internal_end(tc_mpi_continuations *set,
                                       const struct tc_mpi_continuation_state *c)
{
    tc_mpi_outcome outcome;
    MPI_Request request = c->request;
    tc_error why;
    if (c->status != TC_OK)
        tc_mpi_internal_explain(set, c, &why);
    if (c->params.done != NULL) {
        outcome.status = c->status;
        outcome.text = c->status != TC_OK ? why.text : "";
        outcome.result = &c->result;
        outcome.request = request;
        c->params.done(c->params.user, &outcome);
        return;
    }
    if (request != MPI_REQUEST_NULL)
        (void)MPI_Request_free(&request);
    if (c->status != TC_OK && set->failure.status == TC_OK)
        set->failure = why;
}

/* Sends a continuation that is ready. Returns 0 if that has to be tried again. */
static inline int tc_mpi_internal_send(struct tc_mpi_continuation_state *c)
{
    if (c->status != TC_OK)
        return 1;
    if (c->ep != NULL)
        c->status = tc_send(c->ep, c->fn, c->args, c->size);
    else
        c->status = tc_group_send(c->params.group, c->params.rank, c->fn, c->args, c->size);
    if (c->status == TC_E_AGAIN || c->status == TC_E_BUSY) {
        c->status = TC_OK;
        return 0;
    }
    c->was_sent = 1;
    return 1;
}

static inline int tc_mpi_internal_same(const struct tc_mpi_continuation_state *a,
                                       const struct tc_mpi_continuation_state *b)
{
    return a->ep == b->ep && a->params.group == b->params.group &&
           a->params.rank == b->params.rank;
}

/* Sends continuations that are ready, in their order, and keeps those that have to wait. */
static inline void tc_mpi_internal_send_all(tc_mpi_continuations *set)
{
    uint32_t stalled[TC_MPI_INTERNAL_STALLED], stalled_count = 0, at, i, kept = 0;
    for (at = 0; at < set->ready_count; at++) {
        struct tc_mpi_continuation_state *c = &set->ready[at];
        int is_stalled = stalled_count == TC_MPI_INTERNAL_STALLED;
        for (i = 0; i < stalled_count && !is_stalled; i++)
            is_stalled = tc_mpi_internal_same(&set->ready[stalled[i]], c);
        if (!is_stalled && tc_mpi_internal_send(c)) {
            set->ended++;
            tc_mpi_internal_end(set, c);
            continue;
        }
        if (!is_stalled)
            stalled[stalled_count++] = kept;
        if (kept != at)
            set->ready[kept] = *c;
        kept++;
    }
    set->ready_count = kept;
    set->ended = 0;
}

/* --- sets -------------------------------------------------------------------------------- */

/* Frees the memory of a set.
 *
 *   TC_OK      the set is as before tc_mpi_continuations_init. A zeroed one is allowed
 *   TC_E_BUSY  some have not ended, or called from `done`; nothing was done */
static inline tc_status tc_mpi_continuations_fini(tc_mpi_continuations *set)
{
    if (set->waiting != 0 || set->ready_count != 0 || set->is_running)
        return TC_E_BUSY;
    free(set->requests);
    free(set->records);
    free(set->ready);
    free(set->indices);
    free(set->results);
    memset(set, 0, sizeof *set);
    return TC_OK;
}

/* Makes a set that is empty.
 *
 *   set             the caller's memory; it must stay until tc_mpi_continuations_fini
 *   ctx             that of the endpoints and functions; it must stay as long
 *   capacity        continuations that have not ended, up to TC_MPI_CONTINUATIONS_MAX; 0:
 *                   TC_MPI_CONTINUATIONS
 *
 *   TC_OK           continuations can be added
 *   TC_E_INVALID    capacity is above TC_MPI_CONTINUATIONS_MAX
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK static inline tc_status tc_mpi_continuations_init(tc_mpi_continuations *set,
                                                                tc_context *ctx,
                                                                uint32_t capacity,
                                                                tc_error *err)
{
    const size_t record = sizeof(struct tc_mpi_continuation_state);
    memset(set, 0, sizeof *set);
    if (capacity > TC_MPI_CONTINUATIONS_MAX)
        return tc_mpi_internal_fail(err, TC_E_INVALID,
                                    "a set of continuations above TC_MPI_CONTINUATIONS_MAX");
    set->ctx = ctx;
    set->capacity = capacity != 0 ? capacity : TC_MPI_CONTINUATIONS;
    set->requests = (MPI_Request *)calloc(2 * (size_t)set->capacity, sizeof(MPI_Request));
    set->records =
        (struct tc_mpi_continuation_state *)calloc(2 * (size_t)set->capacity, record);
    set->ready = (struct tc_mpi_continuation_state *)calloc(set->capacity, record);
    set->indices = (int *)calloc(2 * (size_t)set->capacity, sizeof(int));
    set->results = (MPI_Status *)calloc(2 * (size_t)set->capacity, sizeof(MPI_Status));
    if (set->requests != NULL && set->records != NULL && set->ready != NULL &&
        set->indices != NULL && set->results != NULL)
        return TC_OK;
    (void)tc_mpi_continuations_fini(set);
    return tc_mpi_internal_fail(err, TC_E_NO_MEMORY, "no memory for a set of continuations");
}

/* The number of continuations that have not ended. */
static inline uint32_t tc_mpi_continuations_count(const tc_mpi_continuations *set)
{
    return set->waiting + set->ready_count - set->ended;
}

/* Adds a continuation. Makes no call of MPI and does not block. Allowed inside an ifunc, and in
 * `done`.
 *
 *   request         active; the set takes it, and the caller's becomes MPI_REQUEST_NULL. Its
 *                   buffer is not to be touched until the continuation has ended
 *   ep              where the function runs: an endpoint that the program closes itself, not
 *                   before the continuation has ended. NULL: at a rank, by params
 *   fn              as tc_send; it must stay open until then
 *   args            as source_args of tc_send, but read after the request has completed: it may
 *                   be the buffer of a receive. It must stay unchanged from then on, until the
 *                   continuation has ended
 *   size            bytes at args
 *   params          copied; NULL: as if it were zeroed
 *
 *   TC_OK           the function is sent when the request has completed
 *   TC_E_INVALID    the request is MPI_REQUEST_NULL (one that is inactive would never end), or
 *                   there is neither ep nor a group
 *   TC_E_AGAIN      the set is full, and the request still the caller's: call
 *                   tc_mpi_continuations_progress and tc_progress, and retry */
TC_MUST_CHECK static inline tc_status
tc_mpi_continue(tc_mpi_continuations *set, MPI_Request *request, tc_ep *ep, tc_ifunc *fn,
                const void *args, size_t size, const tc_mpi_continue_params *params,
                tc_error *err)
{
    struct tc_mpi_continuation_state *c;
    if (*request == MPI_REQUEST_NULL ||
        (ep == NULL && (params == NULL || params->group == NULL)))
        return tc_mpi_internal_fail(err, TC_E_INVALID,
                                    "expected an active request, and an endpoint or a group");
    if (tc_mpi_continuations_count(set) >= set->capacity)
        return tc_mpi_internal_fail(err, TC_E_AGAIN, "the set of continuations is full");
    if (set->used == 2 * set->capacity)
        tc_mpi_internal_close_gaps(set);
    c = &set->records[set->used];
    memset(&c->params, 0, sizeof c->params);
    if (params != NULL)
        c->params = *params;
    c->ep = ep;
    c->fn = fn;
    c->args = args;
    c->size = size;
    c->status = TC_OK;
    c->was_sent = 0;
    set->requests[set->used++] = *request;
    set->waiting++;
    *request = MPI_REQUEST_NULL;
    return TC_OK;
}

/* Looks once which requests have completed (MPI_Testsome, MPI_Test), and sends their functions.
 * It does not progress the context: call tc_progress, too, without which messages may gather.
 *
 *   TC_OK      nothing has failed since the last call
 *   TC_E_IO    MPI_Testsome itself failed, and the error handler returned; nothing has ended
 *   TC_E_BUSY  called from `done`; nothing was done
 *
 * Any other status is the first failure of a continuation without `done`. */
TC_MUST_CHECK static inline tc_status tc_mpi_continuations_progress(tc_mpi_continuations *set,
                                                                    tc_error *err)
{
    tc_status status = TC_OK;
    if (set->is_running)
        return tc_mpi_internal_fail(err, TC_E_BUSY, "progress inside a callback");
    set->is_running = 1;
    if (set->waiting != 0)
        status = tc_mpi_internal_test(set, err);
    if (set->ready_count != 0)
        tc_mpi_internal_send_all(set);
    set->is_running = 0;
    if (status != TC_OK || set->failure.status == TC_OK)
        return status;
    status = set->failure.status;
    if (err != NULL)
        *err = set->failure;
    set->failure.status = TC_OK;
    return status;
}

/* Progresses the set and its context until all continuations have ended. It polls, without
 * sleeping: MPI has nothing to sleep on.
 *
 *   timeout_ns    0 looks once
 *
 *   TC_OK         all have ended, and their messages are on the way
 *   TC_E_TIMEOUT  some have not ended
 *   as tc_mpi_continuations_progress  others may not have ended */
TC_MUST_CHECK static inline tc_status
tc_mpi_continuations_wait(tc_mpi_continuations *set, uint64_t timeout_ns, tc_error *err)
{
    const double begin = MPI_Wtime();
    for (;;) {
        const tc_status status = tc_mpi_continuations_progress(set, err);
        if (status != TC_OK)
            return status;
        (void)tc_progress(set->ctx);
        if (tc_mpi_continuations_count(set) == 0)
            return TC_OK;
        if (timeout_ns != TC_FOREVER && (MPI_Wtime() - begin) * 1e9 >= (double)timeout_ns)
            return tc_mpi_internal_fail(err, TC_E_TIMEOUT, "continuations have not ended");
    }
}

/* Asks MPI to cancel all requests that have not completed (MPI_Cancel): receives that will not
 * be matched any more. Those that MPI still cancels end with TC_E_CLOSED, at a later progress.
 *
 *   TC_OK    all were asked
 *   TC_E_IO  MPI_Cancel failed for some, such as collective operations, and the error handler
 *            returned */
TC_MUST_CHECK static inline tc_status tc_mpi_continuations_cancel(tc_mpi_continuations *set,
                                                                  tc_error *err)
{
    tc_status status = TC_OK;
    uint32_t at;
    for (at = 0; at < set->used; at++) {
        if (set->requests[at] != MPI_REQUEST_NULL &&
            tc_mpi_internal_check(MPI_Cancel(&set->requests[at]), err) != TC_OK)
            status = TC_E_IO;
    }
    return status;
}

#ifdef __cplusplus
}
#endif
#endif
