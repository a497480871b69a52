/* A stream as bytes, for who has its own rules of what they mean: once it is wide, these calls take
 * the place of tci_stream_send and tci_stream_receive.
 *
 * They gather: what is added goes out with the next flush, in one write, and one read takes what
 * there is. Large things pass the buffers by. */
#ifndef TCI_STREAM_BYTES_H
#define TCI_STREAM_BYTES_H

#include "bootstrap/stream.h"

/* Of each buffer: what may wait to be written, and what is read at once. */
#define TCI_STREAM_WIDE_BYTES (64u << 10)

/* Makes it wide, for good. What waits to be written leaves first; a message that
 * tci_stream_receive gave stays valid. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_widen(tci_stream *stream, tc_error *err);
bool tci_stream_is_wide(const tci_stream *stream);

/* TC_OK, or what a write found. */
tc_status tci_stream_send_error(const tci_stream *stream, tc_error *err);

/* --- receiving --------------------------------------------------------------------------- */

/* What was read and not skipped. Moves with the next fill. */
const uint8_t *tci_stream_look(const tci_stream *stream, size_t *size_out);
void tci_stream_skip(tci_stream *stream, size_t size);
/* Reads more into the buffer. TC_OK: something came, and *more_out says whether there may be more.
 * TC_E_AGAIN: nothing did, or the buffer is full (err is not filled). TC_E_PEER_LOST, TC_E_IO: these
 * are final and come again. */
TC_MUST_CHECK tc_status tci_stream_fill(tci_stream *stream, bool *more_out, tc_error *err);
/* Reads past the buffer, which has to be empty: up to `size` bytes. As tci_stream_fill. */
TC_MUST_CHECK tc_status tci_stream_read(tci_stream *stream, uint8_t *to, size_t size,
                                        size_t *n_out, tc_error *err);

/* Bytes that the connection holds, and poll and epoll cannot see. */
bool tci_stream_has_bytes(const tci_stream *stream);

/* --- sending ----------------------------------------------------------------------------- */

/* Bytes that wait to be written, and how many more may. */
size_t tci_stream_unsent(const tci_stream *stream);
size_t tci_stream_room(const tci_stream *stream);
/* Adds at most what there is room for; tci_stream_flush writes it. */
void tci_stream_add(tci_stream *stream, const void *bytes, size_t size);
/* Writes past the buffer, which has to be empty: as much as the connection takes. After TC_E_AGAIN
 * the same bytes have to be written next. Statuses of tci_stream_flush. */
TC_MUST_CHECK tc_status tci_stream_write(tci_stream *stream, const void *bytes, size_t size,
                                         size_t *n_out, tc_error *err);

#endif
