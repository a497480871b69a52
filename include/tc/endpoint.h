/* An endpoint: an ordered, two-way path to one peer.
 *
 * Messages on one endpoint run at the peer in the order they were sent; between endpoints there
 * is no order. */
#ifndef TC_ENDPOINT_H
#define TC_ENDPOINT_H

#include <tc/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Connects to a listener. Blocks, progressing ctx, for timeout_ns at most (0: the option
 * connect_timeout). TC_E_UNREACHABLE (nobody listens), TC_E_TIMEOUT, TC_E_VERSION and
 * TC_E_REFUSED (the text holds both sides' values), TC_E_INVALID (host_port), TC_E_CORRUPT (the
 * other side speaks something else), TC_E_UCX. err may be NULL. */
TC_MUST_CHECK TC_API tc_status tc_ep_connect(tc_context *ctx, const char *host_port,
                                             uint64_t timeout_ns, tc_ep **ep_out,
                                             tc_error *err);

/* Connects by the bytes of the peer's tc_context_address. Both sides must progress. The same
 * statuses. Bytes that were damaged on the way are TC_E_CORRUPT; bytes made by an attacker
 * reach UCX's address parser, so take them only from a channel that you trust. */
TC_MUST_CHECK TC_API tc_status tc_ep_connect_address(tc_context *ctx, const void *address,
                                                     size_t size, uint64_t timeout_ns,
                                                     tc_ep **ep_out, tc_error *err);

/* Waits, progressing, until every message sent so far has been run (or dropped as refused) by
 * the peer. TC_E_TIMEOUT, TC_E_PEER_LOST, TC_E_CLOSED, TC_E_BUSY (from inside an ifunc). */
TC_MUST_CHECK TC_API tc_status tc_ep_flush(tc_ep *ep, uint64_t timeout_ns);

/* Flushes for close_timeout at most, tells the peer, frees. ep is gone afterwards. Not from
 * inside an ifunc. */
TC_API void tc_ep_close(tc_ep *ep);

/* TC_OK while usable, else why not. With err: the text too. A function that the peer refused
 * does not end the endpoint: it shows in tc_ep_refusal. */
TC_API tc_status tc_ep_error(const tc_ep *ep, tc_error *err);

/* How many functions the peer has refused so far, and the newest refusal's status and text (err
 * may be NULL). */
TC_API unsigned tc_ep_refusal(const tc_ep *ep, tc_error *err);

typedef struct tc_ep_info {
    const char *delivery;     /* how messages go there: "direct", "am" or "put" */
    const char *peer_triple;  /* "aarch64-linux" */
    const char *peer_library; /* "0.1.0" */
    const char *peer_ucx;     /* "1.13.1" */
    const char *peer_llvm;    /* "19.1.7" or "none" */
    const char *peer_cpu;     /* "znver4", or the level it reaches: "x86-64-v3" */
    size_t payload_max;       /* largest payload that tc_send takes, bytes */
    size_t frame_payload_max; /* larger ones take ways of their own */
    uint64_t sent_messages;
    uint64_t sent_bytes;   /* of frames, as they travel */
    uint64_t run_messages; /* received on this endpoint and run here */
} tc_ep_info;

TC_API void tc_ep_query_sized(const tc_ep *ep, tc_ep_info *info_out, size_t info_size);

/* Pointers are valid while ep lives. */
static inline void tc_ep_query(const tc_ep *ep, tc_ep_info *info_out)
{
    tc_ep_query_sized(ep, info_out, sizeof *info_out);
}

/* The context that ep belongs to. */
TC_API tc_context *tc_ep_context(const tc_ep *ep);

/* A place for the caller's own pointer; NULL at first. */
TC_API void tc_ep_set_user(tc_ep *ep, void *user);
TC_API void *tc_ep_user(const tc_ep *ep);

#ifdef __cplusplus
}
#endif
#endif
