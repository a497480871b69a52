/* Connections that a listener has accepted and that have not proved yet who they are. There are
 * few at a time, each for a short time, and nothing of a context is theirs. When one more comes,
 * another goes: of those that have said nothing, or of all where each has said something, the
 * oldest of the network that has most. So neither silence nor one host with many connections
 * keeps out a peer that is proving itself. */
#ifndef TCI_STRANGERS_H
#define TCI_STRANGERS_H

#include "stream.h"

#define TCI_STRANGERS_MAX 64u

typedef struct tci_strangers {
    int epoll_fd; /* readable when one of them or the listening socket has something */
    int timer_fd; /* and when the oldest has had its time */
    size_t count;
    struct {
        tci_stream *stream;
        uint64_t deadline_ns;
        uint64_t network; /* where it comes from: an IPv4 address, or half of one of IPv6 */
        bool wants_write;
    } list[TCI_STRANGERS_MAX]; /* the oldest first */
} tci_strangers;

/* TC_E_IO: no descriptors. */
TC_MUST_CHECK tc_status tci_strangers_init(tci_strangers *strangers, int listening_fd,
                                           tc_error *err);
/* In a child of fork(): the connections are the parent's. */
void tci_strangers_leave(tci_strangers *strangers);
/* Hangs up on all of them. */
void tci_strangers_fini(tci_strangers *strangers);

/* Takes a stream. *dropped_out: the one that had to make room, to be closed by the caller, or
 * NULL. */
void tci_strangers_add(tci_strangers *strangers, tci_stream *stream, uint64_t deadline_ns,
                       tci_stream **dropped_out);
/* Whose turn it is to go, or NULL; to be closed by the caller. */
tci_stream *tci_strangers_drop(tci_strangers *strangers);

/* Goes on with those that have sent something. TC_OK: one has proved itself, and is the
 * caller's. TC_E_AGAIN: nothing more to do now. TC_E_REFUSED: one is turned away, and the
 * caller's to be closed; ask again. */
TC_MUST_CHECK tc_status tci_strangers_next(tci_strangers *strangers, tci_stream **stream_out,
                                           tc_error *err);

#endif
