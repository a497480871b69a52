/* The members of a stream, shared by the files that make a stream and the file that uses it. */
#ifndef TCI_STREAM_OBJECT_H
#define TCI_STREAM_OBJECT_H

#include "base/fork_guard.h"
#include "channel.h"
#include "host_port.h"
#include "stream.h"

typedef struct tci_stream_wide tci_stream_wide;

/* The buffers of a stream that is not wide. */
typedef struct tci_stream_narrow {
    uint8_t receive[TCI_HELLO_MESSAGE_MAX];
    uint8_t send[TCI_STREAM_SEND_MAX];
} tci_stream_narrow;

struct tci_stream {
    /* The socket is closed in forked children, or the peer would not see this process end. */
    tci_fork_guard guard;
    tci_channel channel;

    /* Connecting: addresses still to be tried. Freed once connected. */
    tci_host_port *targets; /* NULL: connected */
    size_t target;          /* index of the one that the channel is connecting to */
    tci_credentials *credentials;
    bool proved; /* connected, and the channel's handshake is done: messages may flow */

    /* Receiving never reads beyond the end of the current message, so no bytes have to be
     * moved. */
    size_t received; /* bytes of the current message so far */
    /* bytes that it needs, as far as known: its preamble, then all */
    size_t message_end;
    bool delivered;         /* the caller has it; the next receive begins another */
    tc_error receive_error; /* final; status TC_OK: no error */

    size_t send_begin; /* unwritten bytes are [send_begin, send_end) */
    size_t send_end;
    /* final, and separate from receive_error: a peer that hangs up may have sent its reason
     * before */
    tc_error send_error;

    tci_stream_wide *wide;     /* stream_bytes.h; NULL: not wide */
    tci_stream_narrow *narrow; /* NULL once a wide one has read */
};

/* Returns a stream without a socket; NULL: out of memory. */
tci_stream *tci_stream_alloc(void);

/* Frees the buffers of a stream that ends. */
void tci_stream_free_buffers(tci_stream *stream);

/* Flushes a wide stream, as tci_stream_flush. */
TC_MUST_CHECK tc_status tci_stream_flush_wide(tci_stream *stream, tc_error *err);

/* Continues the handshake of a connected stream. Sends the reason to a peer that is turned
 * away, where that is possible. TC_E_AGAIN; otherwise as tci_channel_handshake, and final. */
TC_MUST_CHECK tc_status tci_stream_prove(tci_stream *stream, tc_error *err);

#endif
