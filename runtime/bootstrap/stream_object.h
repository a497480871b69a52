/* The members of a stream, shared by the files that make a stream and the file that uses it. */
#ifndef TCI_STREAM_OBJECT_H
#define TCI_STREAM_OBJECT_H

#include "base/fork_guard.h"
#include "channel.h"
#include "host_port.h"
#include "stream.h"

/* An error that repeats with every later call. */
typedef struct tci_kept_error {
    tc_status status; /* TC_OK: no error */
    char *text;       /* NULL: there was no memory for it */
} tci_kept_error;

struct tci_stream {
    /* The socket is closed in forked children, or the peer would not see this process end. */
    tci_fork_guard guard;
    tci_channel channel;

    /* Connecting: addresses still to be tried. Freed once connected. */
    tci_host_port *targets; /* NULL: connected */
    size_t target;          /* index of the one that the channel is connecting to */
    tci_credentials *credentials;
    bool proved; /* connected, and the channel's handshake is done: messages may flow */

    /* Of a stream that is not wide, `in` has the current message so far. Receiving never reads
     * beyond its end, so no bytes have to be moved. */
    tci_stream_buffer in;
    /* bytes that it needs, as far as known: its preamble, then all */
    size_t message_end;
    bool delivered; /* the caller has it; the next receive begins another */
    tci_kept_error receive_error;

    tci_stream_buffer out; /* bytes that wait to be written */
    /* separate from receive_error: a peer that hangs up may have sent its reason before */
    tci_kept_error send_error;

    tci_stream_spares **spares; /* stream_bytes.h; NULL: not wide */
};

/* Returns a stream without a socket; NULL: out of memory. */
tci_stream *tci_stream_alloc(void);

/* Frees the buffers of a stream that ends. */
void tci_stream_free_buffers(tci_stream *stream);

/* Keeps the first error, and returns it. */
TC_MUST_CHECK tc_status tci_stream_keep(tci_kept_error *kept, const tc_error *error,
                                        tc_error *err);
/* Keeps that there was no memory. */
TC_MUST_CHECK tc_status tci_stream_keep_shortage(const tci_stream *stream, tci_kept_error *kept,
                                                 tc_error *err);
/* Returns the error that was kept; TC_OK: there is no error. */
TC_MUST_CHECK tc_status tci_stream_repeat(const tci_kept_error *kept, tc_error *err);

/* Continues the handshake of a connected stream. Sends the reason to a peer that is turned
 * away, where that is possible. TC_E_AGAIN; otherwise as tci_channel_handshake, and final. */
TC_MUST_CHECK tc_status tci_stream_prove(tci_stream *stream, tc_error *err);

#endif
