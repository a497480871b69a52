/* Calls: messages whose function answers.
 *
 * A call's answer is what its function gives tc_reply, wherever it has got to by tc_forward; or
 * nothing, with TC_OK, when NAME_main returns without having replied, forwarded or detached the
 * call (<tc/entry.h>). What goes wrong on the way (code that is refused, a member that is gone,
 * too many hops) comes back as a status and a text. An answer that comes after the call was
 * cancelled, or its deadline has passed, is dropped and touches nothing. */
#ifndef TC_CALL_H
#define TC_CALL_H

#include <stdint.h>
#include <tc/ifunc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_RANK_NONE UINT32_MAX /* not in a group */

/* Names a call that is under way; never 0, and not used again soon. */
typedef uint64_t tc_call_id;

/* What became of a call. Pointers are valid during the callback. */
typedef struct tc_call_outcome {
    tc_status status;
    size_t result_size;   /* bytes of the answer, also when it was too large (TC_E_TOO_LARGE) */
    uint32_t hops;        /* how often it was forwarded */
    uint32_t rank;        /* who answered; TC_RANK_NONE when not in a group */
    const uint32_t *path; /* with `trace`: the ranks that forwarded it, in order */
    size_t path_length;   /* of them, the first 256 at most */
    const char *text;     /* when status is not TC_OK: what happened, never NULL */
} tc_call_outcome;

/* By the thread that progresses, under the rules of an ifunc: no blocking calls. It may send
 * and start further calls. */
typedef void (*tc_call_callback)(void *user, const tc_call_outcome *outcome);

typedef struct tc_call_params {
    void *result;          /* where the answer goes; must stay until done, cancel or deadline */
    size_t result_room;    /* bytes there */
    uint64_t timeout_ns;   /* 0: the option call_timeout */
    uint32_t hop_limit;    /* 0: the option hop_limit; every member's own option holds too */
    unsigned trace;        /* 1: note the path */
    tc_call_callback done; /* called exactly once, unless the call was cancelled; or NULL */
    void *user;
} tc_call_params;

TC_MUST_CHECK TC_API tc_status tc_call_start_sized(tc_ep *ep, tc_ifunc *fn,
                                                   const void *source_args, size_t size,
                                                   const tc_call_params *params,
                                                   size_t params_size, tc_call_id *call_out);

/* Sends the message and returns; params->done is called when it was answered, has failed, or
 * the deadline has passed. Statuses of tc_send; then done is not called. May be used inside an
 * ifunc. call_out may be NULL. */
TC_MUST_CHECK static inline tc_status tc_call_start(tc_ep *ep, tc_ifunc *fn,
                                                    const void *source_args, size_t size,
                                                    const tc_call_params *params,
                                                    tc_call_id *call_out)
{
    return tc_call_start_sized(ep, fn, source_args, size, params, sizeof *params, call_out);
}

/* Sends the message and waits, progressing, for the answer. *result_size is the room at
 * `result` and becomes the answer's size; both may be NULL. timeout_ns 0: the option
 * call_timeout. TC_E_TIMEOUT, TC_E_TOO_LARGE (the answer; *result_size is what it needs),
 * TC_E_PEER_LOST, TC_E_BUSY (from inside an ifunc), and whatever the other side or tc_send
 * says, its text in err, which may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_call(tc_ep *ep, tc_ifunc *fn, const void *source_args,
                                       size_t size, void *result, size_t *result_size,
                                       uint64_t timeout_ns, tc_error *err);

/* Nobody waits for the answer any more: done is not called, `result` is free. The function runs
 * all the same. TC_E_NOT_FOUND: it is over already. */
TC_API tc_status tc_call_cancel(tc_context *ctx, tc_call_id call);

/* Calls of this context that are under way. */
TC_API size_t tc_call_count(const tc_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
