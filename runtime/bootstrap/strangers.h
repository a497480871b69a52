/* Unauthenticated peers ("strangers"): connections that a listener has accepted and that have
 * not proved their identity yet. There are few at a time, each for a short time, and they use
 * nothing of a context. When the list is full, a new one replaces another: the oldest of the
 * network that has most, among those that have sent nothing, or among all if each has sent
 * something. So neither silence nor one host with many connections keeps out a peer that is
 * proving itself. */
#ifndef TCI_STRANGERS_H
#define TCI_STRANGERS_H

#include "stream.h"

#define TCI_STRANGERS_MAX 64u

typedef struct tci_strangers {
    int epoll_fd; /* readable when one of them or the listening socket has something */
    int timer_fd; /* readable when the oldest has passed its deadline */
    size_t count;
    struct {
        tci_stream *stream;
        uint64_t deadline_ns;
        uint64_t network; /* its IPv4 address, or the first half of its IPv6 address */
        bool wants_write;
    } list[TCI_STRANGERS_MAX]; /* the oldest first */
} tci_strangers;

/* TC_E_IO: out of descriptors. */
TC_MUST_CHECK tc_status tci_strangers_init(tci_strangers *strangers, int listening_fd,
                                           tc_error *err);
/* Closes the own descriptors in a child of fork(): the connections are the parent's. */
void tci_strangers_leave(tci_strangers *strangers);
/* Closes all connections. */
void tci_strangers_fini(tci_strangers *strangers);

/* Adds a stream. *dropped_out is the one that it replaces, to be closed by the caller, or
 * NULL. */
void tci_strangers_add(tci_strangers *strangers, tci_stream *stream, uint64_t deadline_ns,
                       tci_stream **dropped_out);
/* Removes and returns the stream that is to be replaced next, or NULL; the caller closes it. */
tci_stream *tci_strangers_drop(tci_strangers *strangers);

/* Continues with the streams that have received something. TC_OK: one has proved itself, and is
 * the caller's. TC_E_AGAIN: nothing more to do now. TC_E_REFUSED: one is turned away, and the
 * caller closes it; call again. */
TC_MUST_CHECK tc_status tci_strangers_next(tci_strangers *strangers, tci_stream **stream_out,
                                           tc_error *err);

#endif
