/* Steady endpoints: an endpoint to an address, which connects again when its connection ends,
 * and calls through it that outlive connections. libtchains-steady has these functions:
 * programs that use them link it beside the library (pkg-config tchains-steady, CMake
 * tchains::tchains-steady). It uses the public headers alone, and costs other endpoints
 * nothing.
 *
 *     tc_steady_open(ctx, "node7:7000", NULL, &steady, &err)   returns at once
 *     tc_steady_call(steady, fn, .., TC_STEADY_IDEMPOTENT, ..)  connects, and calls
 *     the peer restarts                                         TC_STEADY_LOST
 *     tc_steady_call(steady, fn, .., TC_STEADY_IDEMPOTENT, ..)  connects again, and calls
 *
 * Connecting. Attempts are made in tc_steady_progress, tc_steady_wait and tc_steady_call alone:
 * nothing happens behind the program's back. An attempt is a tc_ep_connect: it progresses the
 * context, and blocks for attempt_timeout_ns at most, also beyond the timeout of the call that
 * makes it; to a host that answers, it takes milliseconds or less. The first attempt after a
 * loss comes within a random part of backoff_min_ns. The wait before each further one is twice
 * as long, up to backoff_max_ns, and a random part of its second half is left out, so that many
 * peers of one target come back at different moments. The wait is short again once a call was
 * answered or a connection has lasted for backoff_max_ns.
 *
 * Calls. A call is sent while there is a connection, and waits for one otherwise, until its
 * deadline. A call that a connection took with it when that ended is sent again, with its
 * arguments, by the next one,
 *
 *   - if it certainly has not run (TC_CALL_NOT_RUN in <tc/call.h>), whatever its mark;
 *   - if it may have run, only with the mark TC_STEADY_IDEMPOTENT.
 *
 * So a function called with TC_STEADY_ONCE runs once at most. One called with
 * TC_STEADY_IDEMPOTENT runs once for each time that it may have run (tc_steady_outcome.unsure),
 * at most, and once more for the answer: a function that adds 1 and is called so may add 2. The
 * library cannot see whether a function is idempotent.
 *
 * A call that ends without an answer, and certainly has not run, has TC_E_UNREACHABLE and
 * TC_CALL_NOT_RUN; one that may have run has the status that ended its last connection, or
 * TC_E_TIMEOUT, and TC_CALL_MAY_HAVE_RUN. An answer with a status other than TC_OK, also the
 * refusal of the function, is an answer: it ends the call.
 *
 * Calls are sent in the order in which they were started, those that are sent again before
 * newer ones. Across a loss this is no order of runs: later calls may have been answered
 * before.
 *
 * Messages. tc_steady_send sends while there is a connection, never again. Those that the peer
 * may not have run when a connection ended are counted (tc_steady_news.messages_lost).
 *
 * The new target knows nothing of the former one's functions and their variables. Functions
 * of this side stay open: each connection sends their code anew, and the target may refuse it.
 * Variables of functions, windows, tickets and everything else that lived in the target are
 * gone with it. tc_ep_set_user, and pointers to the former tc_ep, are void. The target may be
 * another program: its address is all that is kept. Groups are not covered: a member that was
 * lost does not come back.
 *
 * Threads. A steady endpoint belongs to the thread of its context, which no other thread may
 * serve (<tc/thread.h>). */
#ifndef TC_STEADY_H
#define TC_STEADY_H

#include <stddef.h>
#include <stdint.h>
#include <tc/call.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_steady tc_steady;

#define TC_STEADY_CALLS_MAX 65536u /* of tc_steady_params.calls_max */

typedef enum tc_steady_event {
    TC_STEADY_CONNECTED = 1, /* messages can be sent; tc_steady_ep is the new endpoint */
    TC_STEADY_LOST = 2,      /* the connection has ended, and its endpoint is freed */
    TC_STEADY_GAVE_UP = 3    /* no attempt is made any more; calls that waited have ended */
} tc_steady_event;

/* The library makes this struct; later versions may append fields. Pointers are valid during
 * the callback. */
typedef struct tc_steady_news {
    tc_steady_event event;
    tc_status status; /* why the connection was lost, or the last attempt failed; or TC_OK */
    const char *text; /* of that status; "" with TC_OK */
    /* with TC_STEADY_LOST: messages and answers to calls of the peer that it may not have run;
     * as tc_ep_finish counts them, so calls that are sent again are among them */
    uint64_t messages_lost;
    uint64_t attempts; /* since the last connection ended, this one included */
} tc_steady_news;

/* Called by tc_steady_progress, tc_steady_wait and tc_steady_call. It may start calls and send
 * messages; it may not call functions that block, nor those three. */
typedef void (*tc_steady_callback)(void *user, tc_steady *steady, const tc_steady_news *news);

/* A zeroed struct is valid. */
typedef struct tc_steady_params {
    uint64_t backoff_min_ns;     /* 0: 10 ms */
    uint64_t backoff_max_ns;     /* 0: 1 s */
    uint64_t attempt_timeout_ns; /* of one attempt; 0: 1 s */
    uint64_t give_up_ns;         /* for connecting, after a loss or at first; 0: for ever */
    uint64_t call_timeout_ns;    /* of calls without one of their own; 0: 10 s */
    size_t calls_max;            /* calls under way; 0: 1024 */
    tc_steady_callback changed;  /* or NULL */
    void *user;                  /* first argument of changed */
} tc_steady_params;

/* Implements tc_steady_open; takes the size of the caller's tc_steady_params.
 *
 *   as tc_steady_open */
TC_MUST_CHECK TC_API tc_status tc_steady_open_sized(tc_context *ctx, const char *host_port,
                                                    const tc_steady_params *params,
                                                    size_t params_size, tc_steady **steady_out,
                                                    tc_error *err);

/* Makes a steady endpoint. Does not block, and connects later.
 *
 *   host_port         "127.0.0.1:7000", as for tc_ep_connect; copied
 *   params            copied; NULL: as if it were zeroed
 *   steady_out        owned by the caller; see tc_steady_close
 *
 *   TC_OK             it connects in the first call that makes attempts
 *   TC_E_INVALID      calls_max is above TC_STEADY_CALLS_MAX, or backoff_min_ns above
 *                     backoff_max_ns. A malformed host_port is found by the first attempt,
 *                     which gives up at once
 *   TC_E_UNSUPPORTED  params has a field that this library does not know
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK static inline tc_status tc_steady_open(tc_context *ctx, const char *host_port,
                                                     const tc_steady_params *params,
                                                     tc_steady **steady_out, tc_error *err)
{
    return tc_steady_open_sized(ctx, host_port, params, sizeof *params, steady_out, err);
}

/* Closes the connection as tc_ep_finish does, within the option close_timeout, and frees
 * steady. Calls that are under way then end with TC_E_CLOSED, waiting ones as those that have
 * not run or may have. Before tc_context_destroy. NULL is allowed.
 *
 *   lost_out   messages that may not have run, as for tc_ep_finish; may be NULL
 *
 *   TC_OK      steady is freed
 *   TC_E_BUSY  called from inside an ifunc or a callback: nothing was done */
TC_MUST_CHECK TC_API tc_status tc_steady_close(tc_steady *steady, uint64_t *lost_out);

/* The endpoint of the connection, NULL without a connection. It belongs to steady, which
 * frees it in a call that makes attempts; do not close it. */
TC_API tc_ep *tc_steady_ep(const tc_steady *steady);

/* Progresses the context, finds the end of a connection, makes an attempt to connect if one is
 * due, and sends calls that wait.
 *
 *   TC_OK             there is a connection
 *   TC_E_AGAIN        not yet, or not any more; attempts go on
 *   TC_E_UNREACHABLE  it gave up
 *   TC_E_BUSY         called from inside an ifunc or a callback */
TC_API tc_status tc_steady_progress(tc_steady *steady);

/* Does the work of tc_steady_progress until a message ran, a call ended, the connection came or
 * went, or tc_wait would return for another reason.
 *
 *   timeout_ns    0 looks once
 *
 *   TC_OK         something happened
 *   TC_E_TIMEOUT  nothing happened in timeout_ns
 *   TC_E_BUSY     called from inside an ifunc or a callback */
TC_API tc_status tc_steady_wait(tc_steady *steady, uint64_t timeout_ns);

/* --- calls -------------------------------------------------------------------------------- */

typedef enum tc_steady_mark {
    TC_STEADY_ONCE = 0,      /* runs once at most */
    TC_STEADY_IDEMPOTENT = 1 /* may run several times: to run it again changes nothing */
} tc_steady_mark;

/* Names a call that is under way. Never 0. */
typedef uint64_t tc_steady_call_id;

/* How a call ended. Pointers are valid during the callback. The library makes this struct;
 * later versions may append fields. */
typedef struct tc_steady_outcome {
    tc_status status;
    tc_call_fate fate;
    size_t result_size; /* bytes of the reply, even if it was too large */
    const char *text;   /* reason of a failure; never NULL if status is not TC_OK */
    unsigned sent;      /* how often it was sent */
    unsigned unsure;    /* how often it was sent, got no answer and may have run */
} tc_steady_outcome;

/* Called in any call that progresses the context, as tc_call_callback is, with the same
 * limits. */
typedef void (*tc_steady_call_callback)(void *user, const tc_steady_outcome *outcome);

/* A zeroed struct is valid. */
typedef struct tc_steady_call_params {
    void *result;           /* receives the reply; must stay until the call ends */
    size_t result_capacity; /* bytes at result */
    uint64_t timeout_ns;    /* of all attempts together; 0: call_timeout_ns */
    tc_steady_mark mark;
    tc_steady_call_callback done; /* called once, unless the call is cancelled; or NULL */
    void *user;                   /* first argument of done */
} tc_steady_call_params;

/* Implements tc_steady_call_start; takes the size of the caller's tc_steady_call_params.
 *
 *   as tc_steady_call_start */
TC_MUST_CHECK TC_API tc_status tc_steady_call_start_sized(tc_steady *steady, tc_ifunc *fn,
                                                          const void *source_args, size_t size,
                                                          const tc_steady_call_params *params,
                                                          size_t params_size,
                                                          tc_steady_call_id *call_out,
                                                          tc_error *err);

/* Starts a call and returns. Without a connection, or without capacity at the peer, it waits
 * its turn. Never blocks. Allowed inside an ifunc. A payload above tc_ep_info.frame_payload_max
 * that NAME_payload_init makes is not covered: such a call may keep all others waiting when it
 * has sent a part of it by its deadline.
 *
 *   fn                must stay open until the call ends
 *   source_args       copied, as they may be sent again: one allocation above 64 bytes
 *   params            copied; NULL: as if it were zeroed
 *   call_out          id for tc_steady_call_cancel; may be NULL
 *
 *   TC_OK             the call is under way
 *   TC_E_AGAIN        calls_max calls are under way
 *   TC_E_INVALID      the mark is none of the two
 *   TC_E_UNREACHABLE  it gave up
 *   TC_E_UNSUPPORTED  also: params has a field that this library does not know
 *   TC_E_NO_MEMORY    an allocation failed
 *   as tc_call_start  the message can never be sent; done is not called. If the call waits
 *                     first, its outcome has this status */
TC_MUST_CHECK static inline tc_status tc_steady_call_start(tc_steady *steady, tc_ifunc *fn,
                                                           const void *source_args, size_t size,
                                                           const tc_steady_call_params *params,
                                                           tc_steady_call_id *call_out,
                                                           tc_error *err)
{
    return tc_steady_call_start_sized(steady, fn, source_args, size, params, sizeof *params,
                                      call_out, err);
}

/* Calls and blocks, as tc_call does, until the call has ended.
 *
 *   result            receives the reply; may be NULL
 *   result_size       in: bytes at result; out: bytes of the reply; may be NULL
 *   timeout_ns        of all attempts together; 0: call_timeout_ns
 *   outcome_out       receives the outcome, with the text NULL; may be NULL. Written on
 *                     failure, too; sent is 0 if the call could not be started
 *
 *   TC_OK             the reply is at result
 *   TC_E_UNREACHABLE  no answer, and the function has not run
 *   TC_E_TIMEOUT      no answer by the deadline; it may have run
 *   TC_E_BUSY         called from inside an ifunc or a callback
 *   as tc_steady_call_start and tc_call: TC_STEADY_ONCE and a lost connection give
 *                     TC_E_PEER_LOST or TC_E_CLOSED; it may have run */
TC_MUST_CHECK TC_API tc_status tc_steady_call(tc_steady *steady, tc_ifunc *fn,
                                              const void *source_args, size_t size,
                                              void *result, size_t *result_size,
                                              tc_steady_mark mark, uint64_t timeout_ns,
                                              tc_steady_outcome *outcome_out, tc_error *err);

/* Abandons a call: `done` will not be called, and `result` is the caller's again. The function
 * may run all the same, once more at most.
 *
 *   TC_OK            the call is cancelled
 *   TC_E_NOT_FOUND   no such call is under way */
TC_API tc_status tc_steady_call_cancel(tc_steady *steady, tc_steady_call_id call);

/* --- messages ----------------------------------------------------------------------------- */

/* Sends one message as tc_send does, if there is a connection and no call waits before it.
 *
 *   TC_E_AGAIN        also: there is no connection, or calls wait: call tc_steady_wait, retry
 *   TC_E_UNREACHABLE  it gave up
 *   as tc_send        but TC_E_PEER_LOST and TC_E_CLOSED, which are TC_E_AGAIN here */
TC_MUST_CHECK TC_API tc_status tc_steady_send(tc_steady *steady, tc_ifunc *fn,
                                              const void *source_args, size_t size);

/* --- counters ----------------------------------------------------------------------------- */

typedef struct tc_steady_info {
    uint64_t connections;    /* that were made */
    uint64_t attempts;       /* to connect */
    uint64_t calls_repeated; /* calls that were sent again, each time */
    uint64_t messages_lost;  /* of all connections: tc_steady_news.messages_lost */
    size_t calls;            /* that are under way */
    size_t calls_waiting;    /* of these, that wait to be sent */
} tc_steady_info;

/* Implements tc_steady_query; takes the size of the caller's tc_steady_info. */
TC_API void tc_steady_query_sized(const tc_steady *steady, tc_steady_info *info_out,
                                  size_t info_size);

static inline void tc_steady_query(const tc_steady *steady, tc_steady_info *info_out)
{
    tc_steady_query_sized(steady, info_out, sizeof *info_out);
}

#ifdef __cplusplus
}
#endif
#endif
