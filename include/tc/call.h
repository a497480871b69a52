/* Calls: messages whose function returns a result.
 *
 * The reply to a call is the result that its function passes to tc_reply (<tc/entry.h>), on the
 * member where it runs by then. A function that neither replies, forwards nor detaches the call
 * replies with no bytes and TC_OK when NAME_main returns. A failure on the way (refused code, a
 * lost member, too many hops) is reported as a status and a text. A reply that arrives after
 * the call was cancelled or timed out is dropped; it writes nothing.
 *
 * A peer chooses the bytes of its reply, and can answer only calls that are under way: `result`
 * receives at most result_capacity bytes, whatever the peer sends. */
#ifndef TC_CALL_H
#define TC_CALL_H

#include <stdint.h>
#include <tc/abi.h>
#include <tc/ifunc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_RANK_NONE UINT32_MAX /* not a member of a group */

/* Names a call that is under way. Never 0; an id is not reused soon. */
typedef uint64_t tc_call_id;

/* The fate of a call's function, as far as this side knows. */
typedef enum tc_call_fate {
    TC_CALL_ANSWERED = 0,    /* by an answer, or by the peer's refusal */
    TC_CALL_NOT_RUN = 1,     /* no answer came; the function has not run, and never will */
    TC_CALL_MAY_HAVE_RUN = 2 /* no answer came; it may have run, or run yet, once */
} tc_call_fate;

/* How a call ended. Pointers are valid during the callback. The library makes this struct;
 * later versions may append fields.
 *
 * A call ends as TC_CALL_NOT_RUN when its message never left, or when its peer closed the
 * endpoint, or gave it up, and had not consumed the message by then. This is known where a ring
 * is mapped (delivery "direct"), where one connection carries everything ("stream"), and by
 * address; not of a payload above tc_ep_info.frame_payload_max, and not in a group. Any other
 * call without an answer may have run: if its peer died, or its deadline has passed. A peer
 * that lies about the messages that it consumed makes this wrong, no more. */
typedef struct tc_call_outcome {
    tc_status status;
    size_t result_size;   /* bytes of the reply, even if it was too large */
    uint32_t hops;        /* how often the call was forwarded */
    uint32_t rank;        /* the member that replied, or TC_RANK_NONE */
    const uint32_t *path; /* with trace: the ranks that forwarded it, in order */
    size_t path_length;   /* entries of path, at most 256 */
    const char *text;     /* reason of a failure; never NULL if status is not TC_OK */
    tc_call_fate fate;
} tc_call_outcome;

/* Called by the thread that progresses the context, or by tc_context_destroy, with TC_E_CLOSED,
 * for calls that are under way then. It must not call functions that block. It may send and
 * start further calls, and reply to tickets (tc_reply_to) of the message that started the call,
 * however the call ended. */
typedef void (*tc_call_callback)(void *user, const tc_call_outcome *outcome);

/* A zeroed struct is valid. */
typedef struct tc_call_params {
    void *result;           /* receives the reply; must stay until the call ends */
    size_t result_capacity; /* bytes at result */
    uint64_t timeout_ns;    /* 0: the option call_timeout */
    uint32_t hop_limit;     /* 0: the option hop_limit, which bounds it on every member */
    unsigned trace;         /* 1: record the path */
    tc_call_callback done;  /* called once, unless the call is cancelled; or NULL */
    void *user;             /* first argument of done */
} tc_call_params;

/* Sends a message as tc_send does and returns. `params->done` is called when the reply has
 * arrived, the call has failed or its deadline has passed. Allowed inside an ifunc.
 *
 *   params              copied; NULL: as if it were zeroed. `result` must stay until the call
 *                       ends
 *   call_out            id for tc_call_cancel; may be NULL
 *
 * As a message of tc_send, the first call after a tc_progress leaves at once, and later ones
 * leave with the next tc_progress, tc_wait or tc_ep_flush at the latest.
 *
 *   TC_OK               the call is under way
 *   TC_E_UNSUPPORTED    also: params has a field that this library does not know
 *   TC_E_NO_MEMORY      the call cannot be recorded
 *   TC_E_AGAIN          also: 262,144 calls of the context wait for their replies
 *   as tc_send          the message was not sent; done is not called */
TC_MUST_CHECK static inline tc_status tc_call_start(tc_ep *ep, tc_ifunc *fn,
                                                    const void *source_args, size_t size,
                                                    const tc_call_params *params,
                                                    tc_call_id *call_out, tc_error *err)
{
    return tc_call_start_sized(ep, fn, source_args, size, params, sizeof *params, call_out,
                               err);
}

/* Sends a message as tc_send does and blocks, progressing the context, until the reply arrives.
 *
 *   result          receives the reply; may be NULL
 *   result_size     in: bytes at result; out: bytes of the reply; may be NULL
 *   timeout_ns      0: the option call_timeout
 *
 *   TC_OK           the reply is at result
 *   TC_E_TIMEOUT    no reply arrived in time, or no credit to send the call
 *   TC_E_TOO_LARGE  the reply exceeds *result_size, which now holds the size it needs
 *   TC_E_PEER_LOST  the peer, or a member that the call was forwarded to, was lost
 *   TC_E_REFUSED    one of them has refused the function
 *   TC_E_HOPS       the call was forwarded more often than allowed
 *   TC_E_BUSY       called from inside an ifunc that is not TC_THREADED (tc/task.h); also as
 *                   tc_send: a call with the arguments of a send does not continue its payload
 *   as tc_task_sleep  called from inside one that is TC_THREADED, and that could not wait
 *   TC_E_THROWN     an exception ended the function; the text has its type and message
 *   as tc_send      the message was not sent
 *
 * Any other status is the one that the function gave tc_reply_error, with its text in err. */
TC_MUST_CHECK TC_API tc_status tc_call(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                       size_t size, void *result, size_t *result_size,
                                       uint64_t timeout_ns, tc_error *err);

/* Abandons a call: `done` will not be called, and `result` is the caller's again. The function
 * runs all the same.
 *
 *   TC_OK            the call is cancelled
 *   TC_E_NOT_FOUND   no such call is under way */
TC_API tc_status tc_call_cancel(tc_context *ctx, tc_call_id call);

/* The number of calls of this context that are under way. */
TC_API size_t tc_call_count(const tc_context *ctx);

/* Blocks, progressing the context, until no call of it is under way: all calls that were
 * started have ended, and every `done` that will be called was called. Calls that a `done`
 * starts meanwhile are waited for, too. With TC_FOREVER it ends by the calls' own deadlines.
 *
 *   timeout_ns    0 looks once
 *
 *   TC_OK         no call is under way; the `done` of each received its outcome
 *   TC_E_TIMEOUT  some are still under way, and may end later
 *   TC_E_BUSY     called from inside a callback, or an ifunc that is not TC_THREADED
 *                 (tc/task.h)
 *   as tc_task_sleep  called from inside one that is, and that could not wait */
TC_API tc_status tc_calls_wait(tc_context *ctx, uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif
#endif
