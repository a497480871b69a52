/* An endpoint: an ordered, bidirectional connection to one peer.
 *
 * Messages on one endpoint run at the peer in the order in which they were sent. There is no
 * order between endpoints. An endpoint belongs to the thread of its context.
 *
 * The creator of an endpoint closes it: an endpoint of tc_ep_connect is the caller's, until
 * tc_ep_close or the end of the context, also after it failed. An endpoint that a listener
 * accepted, or that a peer made by address, is the context's: it is freed when the callback of
 * tc_context_set_ep_callback returns from TC_EP_CLOSED or TC_EP_FAILED, and without a callback
 * at any time in a call that progresses. A program that keeps pointers to such endpoints sets
 * one. A group's endpoints are the group's. */
#ifndef TC_ENDPOINT_H
#define TC_ENDPOINT_H

#include <tc/abi.h>
#include <tc/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Connects to a listener (tc_listener_open). Blocks, progressing ctx. Functions that the peer
 * sends at once run after the call, in the next one that progresses. A listener that hangs up
 * before it has answered is tried again, up to seven times within the timeout: a listener
 * crowded by unauthenticated peers drops some connections. So is one at a host that does not
 * answer for a quarter to half of a second, up to eight times with growing patience: where many
 * peers connect to a listener at once, its queue is full, and they come back at different
 * moments.
 *
 * A peer whose thread runs one function for long answers within a second that it is busy, if
 * its option call_time_max is not 0 (tc-node sets that): for how long, in which function, and
 * of which sender. The log gets a warning with that text at once. The call goes on trying, as
 * functions of some seconds are no failure, and the text is in err when the time is over. The
 * peer may have accepted the connection just before the function began, and cannot answer it;
 * so one more connection is made where the first gets no answer for 0.6 to 0.9 s.
 *
 *   host_port         "127.0.0.1:7000"
 *   timeout_ns        0: the option connect_timeout
 *   ep_out            owned by the caller; see tc_ep_close
 *
 *   TC_OK             the endpoint is open
 *   TC_E_UNREACHABLE  no peer listens there, or no route
 *   TC_E_TIMEOUT      the peer did not complete the handshake in time; the text names the
 *                     function that keeps it busy, if it said so
 *   TC_E_VERSION      the peer's protocol is another one, or its UCX is and the option delivery
 *                     asks for UCX; the text has both versions
 *   TC_E_REFUSED      the peer refused the connection, the text has its reason; or one side did
 *                     not accept the other's proof of identity (keys, certificates, user)
 *   TC_E_CORRUPT      the other side does not speak this protocol
 *   TC_E_PEER_LOST    the peer closed the connection during the handshake, each time
 *   TC_E_INVALID      host_port is malformed
 *   TC_E_TOO_LARGE    no more endpoints are possible in this context
 *   TC_E_UCX          UCX could not create an endpoint
 *   TC_E_IO           the operating system refused; the text says why
 *   TC_E_NO_MEMORY    an allocation failed
 *   TC_E_BUSY         called from inside an ifunc */
TC_MUST_CHECK TC_API tc_status tc_ep_connect(tc_context *ctx, const char *host_port,
                                             uint64_t timeout_ns, tc_ep **ep_out,
                                             tc_error *err);

/* Blocks, progressing the context, until the peer has run every message sent so far, or dropped
 * it because it refused the function.
 *
 *   TC_OK           all have run or were dropped
 *   TC_E_TIMEOUT    not in timeout_ns; 0 looks once
 *   TC_E_PEER_LOST  the peer died or broke the protocol
 *   TC_E_CLOSED     the peer, or this side, closed the endpoint
 *   TC_E_BUSY       called from inside an ifunc that is not TC_THREADED (tc/task.h)
 *   as tc_task_sleep  called from inside one that is, and that could not wait
 *
 * A failed endpoint gives the status and text of tc_ep_error. */
TC_MUST_CHECK TC_API tc_status tc_ep_flush(tc_ep *ep, uint64_t timeout_ns, tc_error *err);

/* Flushes for the option close_timeout at most, notifies the peer and frees ep. The peer
 * receives TC_EP_FAILED instead of TC_EP_CLOSED if that was too short for messages that may
 * therefore never arrive. From inside an ifunc or a callback it only schedules that: the
 * endpoint ends with the next tc_progress, which flushes for a tenth of a second at most. NULL
 * is allowed. */
TC_API void tc_ep_close(tc_ep *ep);

/* Closes as tc_ep_close does, within a time of the caller's own, and reports how many messages
 * may not have run.
 *
 * These are messages that this side has sent, by any call, and answers to calls of the peer,
 * that the peer has not consumed as far as this side knows. So the number is exact where the
 * peer closed in order. It may be some messages too high where the peer died or did not answer,
 * as a peer reports a little later than it runs them, and wrong where the peer lies. Messages
 * that functions send meanwhile count, too. Not counted are messages for a function that the
 * peer refused (tc_ep_refusal), and sends that returned another status than TC_OK. Calls and
 * started sends under way end with a status of their own.
 *
 * ep is freed whatever the status, but for TC_E_BUSY. An endpoint that has ended before is
 * freed at once. The thread that owns the context calls this; functions and callbacks run
 * meanwhile.
 *
 *   ep              NULL is allowed
 *   timeout_ns      for all messages to run; a goodbye may take a tenth of a second more;
 *                   0: the option close_timeout
 *   lost_out        the number of messages that may not have run, set whatever the status, but
 *                   for TC_E_BUSY; NULL is allowed
 *
 *   TC_OK           the peer has run, or refused, every message
 *   TC_E_TIMEOUT    messages are lost: the peer did not take them in time, or the caller
 *                   gave up (tc_context_set_interrupt)
 *   TC_E_CLOSED     messages are lost: the peer had closed the endpoint
 *   TC_E_PEER_LOST  messages are lost: the peer died or broke the protocol
 *   TC_E_BUSY       called from inside an ifunc or a callback: ep stays as it is
 *
 * Messages lost by an endpoint that failed give the status of tc_ep_error, which may be any
 * other one. The text has the number and the reason. */
TC_MUST_CHECK TC_API tc_status tc_ep_finish(tc_ep *ep, uint64_t timeout_ns, uint64_t *lost_out,
                                            tc_error *err);

/* Returns why the endpoint cannot be used, with the text in err. A function that the peer
 * refused does not end the endpoint; see tc_ep_refusal.
 *
 *   TC_OK           the endpoint is usable
 *   TC_E_CLOSED     the peer closed it
 *   TC_E_PEER_LOST  the peer died or broke the protocol
 *
 * A failed endpoint gives the status that ended it, which may be any other one. */
TC_API tc_status tc_ep_error(const tc_ep *ep, tc_error *err);

/* Returns how many functions the peer has refused so far. err receives the status and text of
 * the newest refusal; it stays as it was if there is none. A refused function is not sent again
 * (TC_E_REFUSED), unless the peer lacked memory (TC_E_NO_MEMORY): then the next message is a
 * new try. */
TC_API unsigned tc_ep_refusal(const tc_ep *ep, tc_error *err);

typedef struct tc_ep_info {
    const char *delivery;     /* transport of sent messages: "direct", "am", "put", "stream" */
    const char *peer_triple;  /* "aarch64-linux" */
    const char *peer_library; /* "0.1.0" */
    const char *peer_ucx;     /* "1.13.1" or "none" */
    const char *peer_llvm;    /* "19.1.7" or "none" */
    const char *peer_cpu;     /* "znver4", or the level it reaches: "x86-64-v3" */
    size_t payload_max;       /* largest payload that tc_send accepts, bytes */
    size_t frame_payload_max; /* largest payload that fits into one frame, bytes */
    uint64_t sent_messages;
    uint64_t sent_bytes;   /* of frames, headers and code included */
    uint64_t run_messages; /* messages from this peer that ran here */
    /* the identity that the peer has proved: "cert:CN=node7", "key:cluster", "job:NAME" of a
     * group's member, "uid:1000"; "": nothing */
    const char *peer_identity;
} tc_ep_info;

/* Reports the state of the endpoint and the peer's description of itself. Pointers are valid
 * while ep lives. The peer chooses the texts, but for peer_identity; they are printable
 * ASCII. */
static inline void tc_ep_query(const tc_ep *ep, tc_ep_info *info_out)
{
    tc_ep_query_sized(ep, info_out, sizeof *info_out);
}

/* The context that ep belongs to. */
TC_API tc_context *tc_ep_context(const tc_ep *ep);

/* Sets and gets a pointer of the caller's own; NULL at first. */
TC_API void tc_ep_set_user(tc_ep *ep, void *user);
TC_API void *tc_ep_user(const tc_ep *ep);

#ifdef __cplusplus
}
#endif
#endif
