/* A stream as bytes, for code that interprets them itself: once it is wide, these calls replace
 * tci_stream_send and tci_stream_receive.
 *
 * They gather: added bytes leave with the next flush, in one write, and one read takes all
 * available bytes. Large data bypasses the buffers. */
#ifndef TCI_STREAM_BYTES_H
#define TCI_STREAM_BYTES_H

#include "bootstrap/stream.h"

/* The most bytes of each buffer: those that wait to be written, and those read at once. */
#define TCI_STREAM_WIDE_BYTES (64u << 10)

/* Makes it wide, for good. Bytes that wait to be written leave first; a message that
 * tci_stream_receive returned stays valid until the next fill. Its empty buffers are spares of
 * all streams with the same `spares`: a pointer that outlives them, NULL at first and when the
 * last of them is closed. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_stream_widen(tci_stream *stream, tci_stream_spares **spares,
                                         tc_error *err);

/* Returns TC_OK, or the error of a failed write. */
tc_status tci_stream_send_error(const tci_stream *stream, tc_error *err);

/* Returns whether bytes travel as they are. */
bool tci_stream_is_clear(const tci_stream *stream);

/* --- receiving --------------------------------------------------------------------------- */

/* Returns the bytes that were read and not skipped; NULL if there is no buffer. They move with
 * the next fill. */
const uint8_t *tci_stream_look(const tci_stream *stream, size_t *size_out);
void tci_stream_skip(tci_stream *stream, size_t size);
/* Reads more into the buffer. TC_OK: bytes were read, and *more_out is whether there may be
 * more. TC_E_AGAIN: no bytes were there, or the buffer is full (err is not filled).
 * TC_E_PEER_LOST, TC_E_IO: these are final and repeat. */
TC_MUST_CHECK tc_status tci_stream_fill(tci_stream *stream, bool *more_out, tc_error *err);
/* Reads up to `size` bytes to `to`, and of a connection in clear by the same call following
 * ones into the buffer, which has to be empty. Results of tci_stream_fill. */
TC_MUST_CHECK tc_status tci_stream_read(tci_stream *stream, uint8_t *to, size_t size,
                                        size_t *n_out, bool *more_out, tc_error *err);

/* Returns whether the connection holds bytes that poll and epoll cannot see. */
bool tci_stream_has_bytes(const tci_stream *stream);

/* Makes poll and epoll report the connection only when `bytes` are there, or its end; 1 as
 * usual. At least so many have to be still to come. */
void tci_stream_set_least(tci_stream *stream, size_t bytes);

/* --- sending ----------------------------------------------------------------------------- */

/* Return the number of bytes that wait to be written, and the space left for more. */
size_t tci_stream_unsent(const tci_stream *stream);
size_t tci_stream_room(const tci_stream *stream);
/* Adds bytes, at most as many as there is space for; tci_stream_flush writes them. Without
 * memory for them the stream has failed, as after a failed write. */
void tci_stream_add(tci_stream *stream, const void *bytes, size_t size);
/* Writes as much as the connection accepts without the buffer, which has to be empty. After
 * TC_E_AGAIN the same bytes have to be written next. Statuses of tci_stream_flush. */
TC_MUST_CHECK tc_status tci_stream_write(tci_stream *stream, const void *bytes, size_t size,
                                         size_t *n_out, tc_error *err);
/* The same for a connection in clear, behind the bytes of the buffer, by one call. */
TC_MUST_CHECK tc_status tci_stream_write_behind(tci_stream *stream, const void *bytes,
                                                size_t size, size_t *n_out, tc_error *err);

#endif
