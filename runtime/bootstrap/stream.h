/* A non-blocking TCP connection that carries the messages of wire/hello.h.
 *
 * No call here blocks (but for the look-up of a name, see host_port.h) or waits for a deadline:
 * the caller polls, has the clock, and closes streams that are too slow. A stream holds one
 * message each way and a little more, at most, for any input of the peer. It stays open for the
 * life of an endpoint, as its end is how a dead peer is noticed at once. A dead *machine* is
 * noticed by TCP keepalive within half a minute.
 *
 * Streams and listeners are heap objects, made by the calls below and freed by their close. One
 * thread at a time. */
#ifndef TCI_STREAM_H
#define TCI_STREAM_H

#include "credentials.h"
#include "stream_buffer.h"
#include "wire/hello.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_stream tci_stream;
typedef struct tci_stream_listener tci_stream_listener;

/* bytes that may wait to be written */
#define TCI_STREAM_SEND_MAX (2u * TCI_HELLO_MESSAGE_MAX)

/* --- accepting --------------------------------------------------------------------------- */

/* Binds and listens. Both sides prove themselves with `credentials`, see credentials.h; they
 * outlive the listener and its streams. NULL: nothing is proved. Addresses outside loopback are
 * refused with TC_E_INVALID without keys, unless allow_any; then a warning is logged that any
 * connecting process can run code. TC_E_IN_USE (the text names the address),
 * TC_E_INVALID (also a name that is not known), TC_E_IO, TC_E_NO_MEMORY. err may be NULL, here
 * and below. */
TC_MUST_CHECK tc_status tci_stream_listen(const char *host_port, bool allow_any,
                                          tci_credentials *credentials,
                                          tci_stream_listener **listener_out, tc_error *err);
/* The first half of tci_stream_listen, and the second: no peer is served before it is decided
 * which peers may connect. */
TC_MUST_CHECK tc_status tci_stream_bind(const char *host_port,
                                        tci_stream_listener **listener_out, tc_error *err);
/* The same first half for a socket of another process's, which is duplicated and stays the
 * caller's. TC_E_INVALID: it is no TCP socket that listens; TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_adopt(int socket, tci_stream_listener **listener_out,
                                         tc_error *err);
TC_MUST_CHECK tc_status tci_stream_listener_admit(tci_stream_listener *listener, bool allow_any,
                                                  tci_credentials *credentials, tc_error *err);
/* Takes connections that another process has accepted and passes on by a Unix socket, see
 * handed_socket.h; the socket stays the caller's. TC_E_INVALID: it is of another type; TC_E_IO,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_listen_handed(int channel, tci_credentials *credentials,
                                                 tci_stream_listener **listener_out,
                                                 tc_error *err);
/* Returns the port that was bound, also when port 0 was asked for; 0: another process has bound
 * it. */
uint16_t tci_stream_listener_port(const tci_stream_listener *listener);
/* Returns the socket that it accepts from, which stays its own; -1: another process accepts. */
int tci_stream_listener_socket(const tci_stream_listener *listener);
/* Returns whether it is known to be on loopback, so that only this machine can connect. */
bool tci_stream_listener_is_local(const tci_stream_listener *listener);
/* For poll: readable when tci_stream_accept has something to do. */
int tci_stream_listener_fd(const tci_stream_listener *listener);
/* Makes another listener at the same socket, which another thread may use: each takes some of
 * the connections. No other thread may use its credentials, either. TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_listener_twin(const tci_stream_listener *of,
                                                 tci_credentials *credentials,
                                                 tci_stream_listener **twin_out, tc_error *err);
/* Shuts the listener or opens it again. While shut it accepts no connection, and continues with
 * those that have not proved their identity yet. */
void tci_stream_listener_shut(tci_stream_listener *listener, bool shut);
/* Closes the listener; accepted streams stay. NULL is allowed. */
void tci_stream_listener_close(tci_stream_listener *listener);

/* Returns a connected socket that was not read from, for a caller that makes no stream of it.
 * Statuses as tci_stream_accept, and TC_E_PEER_LOST: the process that passes connections on has
 * gone. */
struct tci_host_address; /* host_port.h; its headers define many short names */
TC_MUST_CHECK tc_status tci_stream_take(tci_stream_listener *listener, int *fd_out,
                                        struct tci_host_address *peer_out, tc_error *err);
/* Returns a stream after its peer has proved itself. TC_E_AGAIN: there is none now (err is not
 * filled). TC_E_REFUSED: a connection was turned away, err has the reason; call again. TC_E_IO:
 * this process or machine is out of file descriptors; the peer still waits, so try again later.
 * TC_E_NO_MEMORY (the connection was closed). */
TC_MUST_CHECK tc_status tci_stream_accept(tci_stream_listener *listener,
                                          tci_stream **stream_out, tc_error *err);

/* "127.0.0.1:40122": the peer that tci_stream_accept turned away last. */
const char *tci_stream_listener_turned_away(const tci_stream_listener *listener);

/* --- connecting -------------------------------------------------------------------------- */

/* Begins to connect. `credentials` as those of a listener. TC_E_INVALID (text or port 0),
 * TC_E_UNREACHABLE (when that is known at once), TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_connect_start(const char *host_port,
                                                 tci_credentials *credentials,
                                                 tci_stream **stream_out, tc_error *err);
/* TC_OK: connected, and both sides have proved themselves (also when called again). TC_E_AGAIN:
 * still under way (err is not filled; poll the stream's fd, for writing until it is connected
 * and for reading from then on, and ask for the fd again: a name with several addresses is
 * tried one by one). TC_E_UNREACHABLE: no process listens there, or there is no route;
 * TC_E_REFUSED: one side did not accept the other; TC_E_VERSION, TC_E_PEER_LOST, TC_E_IO. The
 * texts name the address. After a failure the stream can only be closed. */
TC_MUST_CHECK tc_status tci_stream_connect_finish(tci_stream *stream, tc_error *err);

/* Returns whether the peer's host has acknowledged nothing, or not the newest bytes. Its
 * listener's queue may be full: then it drops the attempt, or all bytes behind its own answer,
 * and the kernel sends again after times that double. The host of a process that is merely busy
 * acknowledges. */
bool tci_stream_is_unanswered(const tci_stream *stream);

/* --- messages ---------------------------------------------------------------------------- */

/* Queues all of the bytes or none and writes as much as the connection accepts. Allowed while
 * connecting. TC_E_AGAIN: no space in the queue now; TC_E_TOO_LARGE: more than
 * TCI_STREAM_SEND_MAX; TC_E_NO_MEMORY; TC_E_PEER_LOST, TC_E_IO: this and all later sends
 * fail, but data that the peer had sent can still be received. */
TC_MUST_CHECK tc_status tci_stream_send(tci_stream *stream, const void *bytes, size_t size,
                                        tc_error *err);
/* Writes queued bytes. TC_OK: all were written. TC_E_AGAIN: some still wait (err is not
 * filled). Otherwise as tci_stream_send. */
TC_MUST_CHECK tc_status tci_stream_flush(tci_stream *stream, tc_error *err);

/* Returns the next whole message, its preamble included and checked, its body not yet: valid
 * until the next receive or close. TC_E_AGAIN: not received yet (err is not filled).
 * TC_E_PEER_LOST: the peer is gone, at a message's end or within one. TC_E_CORRUPT,
 * TC_E_VERSION: the bytes received are no message; TC_E_IO. All but TC_E_AGAIN are final and
 * repeat. */
TC_MUST_CHECK tc_status tci_stream_receive(tci_stream *stream, tci_hello_kind *kind_out,
                                           const void **message_out, size_t *size_out,
                                           tc_error *err);

/* Returns whether a connected stream leads to this machine: to loopback, or to an address of
 * its own. */
bool tci_stream_is_local(const tci_stream *stream);
/* Returns whether it leads to a process of another user on this machine: neither can map the
 * other's memory. */
bool tci_stream_is_foreign(const tci_stream *stream);

/* Returns whether the socket is connected. It may then have bytes to read: the peer's proof, or
 * messages. */
bool tci_stream_is_connected(const tci_stream *stream);

/* Returns the credentials with which this side of a connected stream proves itself; NULL: it
 * proves nothing. */
const tci_credentials *tci_stream_credentials(const tci_stream *stream);

/* Returns the peer's identity: "cert:CN=node7", "key:cluster", "job:NAME", "uid:1000", or "" if
 * it is unknown. Printable ASCII, less than TCI_TLS_IDENTITY_MAX; lives as long as the
 * stream. */
const char *tci_stream_identity(const tci_stream *stream);

/* For poll; owned by the stream. */
int tci_stream_fd(const tci_stream *stream);

/* "127.0.0.1:7000", for texts; lives as long as the stream. */
const char *tci_stream_peer(const tci_stream *stream);

/* Writes as much of the queue as it can without waiting, closes, frees. To be sure that a last
 * message leaves, flush until TC_OK first. NULL is allowed. */
void tci_stream_close(tci_stream *stream);

#endif
