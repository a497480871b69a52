/* A link: carries messages to one peer beside the memory that both have mapped. It is an
 * endpoint of UCX's (link_ucx.h), or anything else that implements the operations of
 * link_ops.h. */
#ifndef TCI_LINK_H
#define TCI_LINK_H

#include "delivery/link_am.h"

typedef struct tci_link tci_link;

/* The services that a link may offer to a delivery. */
typedef enum tci_link_use {
    TCI_LINK_MESSAGES = 1, /* frames in UCX's active messages */
    TCI_LINK_PUTS = 2,     /* UCX's remote writes */
    TCI_LINK_RECORDS = 4   /* frames in records of the endpoint's own connection */
} tci_link_use;

/* Returns whether the link offers all services in `uses`, which are bits of tci_link_use. */
bool tci_link_carries(const tci_link *link, unsigned uses);
/* Returns the reason why the link offers no others. */
const char *tci_link_lacks(const tci_link *link);

/* Sends waiting messages, as far as the carrier takes them now. False: something is left. UCX's
 * links leave that to the worker. */
bool tci_link_turn(tci_link *link);

/* Returns whether the carrier holds received bytes that no descriptor reports. */
bool tci_link_has_bytes(const tci_link *link);

/* Called before a sleep, which ends when the carrier accepts more of the waiting messages, and
 * after it. */
void tci_link_watch_space(tci_link *link, bool sleeps);

/* Returns TC_OK when UCX has connected the two workers. TC_E_AGAIN: not yet; progress.
 * TC_E_PEER_LOST. err may be NULL and is not filled for TC_E_AGAIN. A side that goes away
 * before both are connected crashes a UCX with assertions on the other side, so a handshake
 * ends with this. A link that was put aside is ready at once. */
TC_MUST_CHECK tc_status tci_link_ready(tci_link *link, tc_error *err);

/* Drops unsent messages and frees the link. Blocks until UCX releases the buffers that sends
 * name, at most timeout_ns; then the endpoint is abandoned to the worker. So is one that is not
 * ready: the worker closes it when it is. */
void tci_link_close(tci_link *link, uint64_t timeout_ns);

/* Begins to flush the posted messages. tci_link_flush_ended returns whether, once UCX has
 * progressed, they have left or never will. It also returns true when nothing was begun. */
void tci_link_flush_begin(tci_link *link);
bool tci_link_flush_ended(tci_link *link);

/* Checks, from time to time, whether the process of a peer on this host has ended: UCX does not
 * (ucx_compat.h). `closely` is for links where no other source reports that end: it also finds
 * a process that no parent has waited for yet. A process counts as ended when two checks have
 * found it so: in between, the messages that it sent last arrive. */
void tci_link_look_for_peer(tci_link *link, uint64_t now_ns, bool closely);

/* Returns TC_OK, or the failure that UCX or that check found (err filled). */
tc_status tci_link_error(const tci_link *link, tc_error *err);

/* Called when frames take another way, so nothing needs to wait for this link. */
void tci_link_put_aside(tci_link *link);

/* Sets the peer's name for its endpoint. Messages before that go to no endpoint. */
void tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token);

/* Sends one message; bytes are copied. For rare messages: hellos. */
TC_MUST_CHECK tc_status tci_link_post(tci_link *link, tci_am kind, const void *bytes,
                                      size_t size, tc_error *err);

/* One send or put without a copy, in memory of the caller's that lives as long as the link. */
typedef struct tci_link_op {
    tci_am_header header; /* owned by the link, like the next five */
    uint8_t kind;
    const uint8_t *head; /* of a part of a payload */
    const uint8_t *bytes;
    size_t size;
    struct tci_link_op *next; /* bound: TCI_BATCH_COUNT, PAYLOAD_PARTS, CODE_PARTS */
    /* Called inside tci_worker_progress or tci_link_close, once, if the send was under way. */
    void (*done)(struct tci_link_op *op);
    void *user;
    tci_link *link; /* of a flush, like failed: for done to read */
    bool failed;
} tci_link_op;

/* Sends `bytes` without a copy: they and *op stay untouched until done is called, or until
 * return when *under_way_out is false (then done is not called). `position` is the header's. */
TC_MUST_CHECK tc_status tci_link_send(tci_link *link, tci_am kind, uint16_t position,
                                      tci_link_op *op, const void *bytes, size_t size,
                                      bool *under_way_out);

/* Returns how much of a payload is best sent in one part. */
size_t tci_link_part_bytes(const tci_link *link);

/* Sends a part of a payload. The rules for op and the bytes are those of tci_link_send, and the
 * header, of which the link fills in `to`, stays untouched as long. */
TC_MUST_CHECK tc_status tci_link_send_payload(tci_link *link, uint16_t number,
                                              tci_payload_header *header, tci_link_op *op,
                                              const void *bytes, size_t size,
                                              bool *under_way_out);

#endif
