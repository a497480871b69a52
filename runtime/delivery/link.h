/* A link: the UCX endpoint to one peer. */
#ifndef TCI_LINK_H
#define TCI_LINK_H

#include "delivery/ucx_address.h"
#include "delivery/worker.h"

typedef struct tci_link tci_link;

/* What a peer says of itself. */
typedef struct tci_link_peer {
    tci_ucx_address address;
    bool same_host; /* that process is one of this host's */
} tci_link_peer;

/* Never blocks. TC_E_UCX, TC_E_UNREACHABLE, TC_E_NO_MEMORY; TC_E_CORRUPT: the address is not one
 * (ucx_address.h says what is checked). */
TC_MUST_CHECK tc_status tci_link_open(tci_worker *worker, const tci_link_peer *peer,
                                      tci_link **link_out, tc_error *err);

/* Whether UCX has connected the two workers. TC_E_AGAIN: not yet; progress. TC_E_PEER_LOST. err
 * may be NULL and is not filled for TC_E_AGAIN. A side that goes away before both are connected
 * takes a UCX with assertions down on the other side, so a handshake ends with this. A link
 * that was put aside is ready at once. */
TC_MUST_CHECK tc_status tci_link_ready(tci_link *link, tc_error *err);

/* Drops what is still unsent, frees. Blocks until UCX lets go of buffers that sends name, at
 * most timeout_ns; then the endpoint is abandoned to the worker. So is one that is not ready:
 * the worker closes it when it is. */
void tci_link_close(tci_link *link, uint64_t timeout_ns);

/* Begins to flush what was posted; tci_link_flush_ended says, once UCX has progressed, that it
 * has left, or never will. It also does so when nothing was begun. */
void tci_link_flush_begin(tci_link *link);
bool tci_link_flush_ended(tci_link *link);

/* Looks, now and then, whether the process of a peer on this host has ended: UCX does not (ucx_compat.h). Where nothing
 * else tells of its end, `closely`: that is found also before anybody has waited for it. A process
 * counts as ended when two looks have found it so: in between, what it sent last arrives. */
void tci_link_look_for_peer(tci_link *link, uint64_t now_ns, bool closely);

/* TC_OK, or what UCX or that look found of the peer (err filled). */
tc_status tci_link_error(const tci_link *link, tc_error *err);

/* Frames take another way, so nothing needs to wait for this one. */
void tci_link_put_aside(tci_link *link);

/* What the peer names its endpoint by. Messages before that go to none. */
void tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token);

/* Sends one message; bytes are copied. For rare messages: hellos. */
TC_MUST_CHECK tc_status tci_link_post(tci_link *link, tci_am kind, const void *bytes,
                                      size_t size, tc_error *err);

/* One send or put without a copy, in memory of the caller's that lives as long as the link. */
typedef struct tci_link_op {
    tci_am_header header; /* of the link's */
    /* Called inside tci_worker_progress or tci_link_close, once, if the send was under way. */
    void (*done)(struct tci_link_op *op);
    void *user;
    tci_link *link; /* of a flush, and whether it failed: for done to see */
    bool failed;
} tci_link_op;

/* Sends `bytes` without a copy: they and *op stay untouched until done is called, or until
 * return when *under_way_out is false (then done is not called). `place` is the header's. */
TC_MUST_CHECK tc_status tci_link_send(tci_link *link, tci_am kind, uint16_t place,
                                      tci_link_op *op, const void *bytes, size_t size,
                                      bool *under_way_out);

/* Sends a part of a payload. The rules for op and the bytes are those of tci_link_send, and the
 * header, of which the link fills in `to`, stays untouched as long. */
TC_MUST_CHECK tc_status tci_link_send_payload(tci_link *link, uint16_t number,
                                              tci_payload_header *header, tci_link_op *op,
                                              const void *bytes, size_t size,
                                              bool *under_way_out);

/* What UCX is told of the two ends of a link, to judge a key by. */
typedef struct tci_link_ends {
    tci_worker *worker;
    pid_t peer_pid;         /* as it says */
    uint64_t posix_domains; /* of tci_ucx_address_posix */
} tci_link_ends;
tci_link_ends tci_link_ends_of(const tci_link *link);

/* Takes a peer's key, which has been judged, so that its region can be put to. TC_E_UNSUPPORTED:
 * not with this key, or with the application's UCX context. TC_E_NO_MEMORY. The region must still
 * be there: UCX before 1.19 crashes on the key of memory on this host that is gone. Once per link.
 */
TC_MUST_CHECK tc_status tci_link_prepare_puts(tci_link *link, const void *rkey, size_t size,
                                              tc_error *err);

/* Where a put to that address of the peer's is written by this process itself, because UCX has
 * the peer's memory mapped here: UCX adds the address to its mapping and checks nothing. NULL:
 * something else writes it, where the peer says. Behind tci_link_prepare_puts. */
void *tci_link_mapped_here(const tci_link *link, uint64_t address);

/* Writes to the peer's memory. The rules for op and the bytes are those of tci_link_send;
 * op->header is not used. Nothing is said about when or in what order bytes arrive. */
TC_MUST_CHECK tc_status tci_link_put(tci_link *link, uint64_t address, tci_link_op *op,
                                     const void *bytes, size_t size, bool *under_way_out);

/* Puts from before arrive before puts from after. Only where tci_ucx_fences_block says that it
 * does not block. */
TC_MUST_CHECK tc_status tci_link_fence(tci_link *link);

/* Ends op when the puts from before have arrived, or, with op->failed, when the link has failed
 * or is closed. They have when *under_way_out is false (then done is not called). Never blocks.
 */
TC_MUST_CHECK tc_status tci_link_flush_puts(tci_link *link, tci_link_op *op,
                                            bool *under_way_out);

/* Ends those lingering links that UCX has connected, or given up, meanwhile. */
void tci_link_reap(tci_worker *worker);

#endif
