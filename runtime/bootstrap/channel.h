/* A connected socket that moves bytes and never blocks. The stream interprets the bytes; the
 * channel alone decides if they travel as they are or protected.
 *
 * Embedded in its owner; one thread at a time. After a failure the same call fails again, with
 * the same status. */
#ifndef TCI_CHANNEL_H
#define TCI_CHANNEL_H

#include "credentials.h"
#include "host_port.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <tc/status.h>

typedef struct tci_channel {
    int fd;                            /* -1: no socket */
    char peer[TCI_HOST_PORT_TEXT_MAX]; /* its address, for texts */
    tci_tls_role role;
    bool is_local;                /* once secured: the peer is on this machine */
    bool is_foreign;              /* once proved: it is local, and another user's */
    bool has_spoken;              /* its first byte was checked */
    bool speaks_clear;            /* it sent clear text where keys are expected */
    bool is_protected;            /* bytes go through `tls` */
    tci_credentials *credentials; /* not its own; NULL until tci_channel_secure */
    tci_tls_session *tls;
    char *identity; /* NULL until the handshake is done, or if not proved */
} tci_channel;

void tci_channel_init(tci_channel *channel);
/* Closes the socket, if there is one: in order, if the handshake was done. Bytes written may
 * still be on their way. */
void tci_channel_close(tci_channel *channel);
/* The same in a child of fork(): the connection stays the parent's. Allowed in a signal
 * handler. */
void tci_channel_close_in_fork(tci_channel *channel);

/* Makes the kernel send the bytes of a socket on loopback at once, as no network between the
 * two can be congested. BBR, where the system has it, would pace them by timers
 * (docs/decisions/stream.md). Called before the socket connects or listens; accepted
 * connections inherit it. */
void tci_channel_spare_pacing(int fd, const tci_host_address *address);

/* Takes a socket that is connected. */
void tci_channel_adopt(tci_channel *channel, int fd, const tci_host_address *peer);

/* Begins to connect, and closes an earlier attempt. 0: connected; EINPROGRESS: under way;
 * otherwise errno of the failure. */
int tci_channel_connect(tci_channel *channel, const tci_host_address *address);
/* Returns the state of the attempt: the same values. */
int tci_channel_ask_connected(tci_channel *channel);

/* Sets how the two sides prove themselves: by the keys of the credentials, or, if they have no
 * keys and the peer is on loopback, by the user that the kernel reports. NULL: not at all.
 * Called once connected, before the handshake. `host` is the name or address that a client
 * connects to. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_channel_secure(tci_channel *channel, tci_credentials *credentials,
                                           tci_tls_role role, const char *host, tc_error *err);

/* Exchanges the proofs that precede the owner's first byte in each direction; called until
 * TC_OK. TC_E_AGAIN: the peer's part is awaited. TC_E_REFUSED: one side did not accept the
 * other. TC_E_VERSION, TC_E_PEER_LOST, TC_E_IO. */
TC_MUST_CHECK tc_status tci_channel_handshake(tci_channel *channel, tc_error *err);
/* Called after the handshake has failed. Writes as much of `bytes`, the reason, as the socket
 * takes, if the peer may receive it in clear text: it speaks that, or there are no keys
 * here. */
void tci_channel_tell_refused(tci_channel *channel, const void *bytes, size_t size);

/* Reads 1 to size bytes. TC_E_AGAIN: no bytes are there (err is not filled). TC_E_PEER_LOST:
 * the peer is gone (ended_out true: it ended the connection in order, and all that it had sent
 * was read), TC_E_REFUSED (it did not accept this side), TC_E_CORRUPT (a protected byte was
 * changed on its way), TC_E_IO. */
TC_MUST_CHECK tc_status tci_channel_read(tci_channel *channel, void *bytes, size_t size,
                                         size_t *read_out, bool *ended_out, tc_error *err);
/* Writes 1 to size bytes. TC_E_AGAIN: it accepts no bytes now (err is not filled); the next
 * write begins with the same bytes, and may add more. TC_E_PEER_LOST, TC_E_REFUSED, TC_E_IO. */
TC_MUST_CHECK tc_status tci_channel_write(tci_channel *channel, const void *bytes, size_t size,
                                          size_t *written_out, tc_error *err);
/* The same with 2 pieces, the second behind the first, of a channel that is not protected. */
TC_MUST_CHECK tc_status tci_channel_read_both(tci_channel *channel, struct iovec pieces[2],
                                              size_t *read_out, bool *ended_out, tc_error *err);
TC_MUST_CHECK tc_status tci_channel_write_both(tci_channel *channel, struct iovec pieces[2],
                                               size_t *written_out, tc_error *err);

/* Returns whether bytes were taken off the socket and not read yet, which poll and epoll cannot
 * see. */
bool tci_channel_has_bytes(const tci_channel *channel);
/* Returns whether the channel has bytes of its own to write: poll for writing, too, then
 * handshake, read or write again. */
bool tci_channel_wants_write(const tci_channel *channel);

#endif
