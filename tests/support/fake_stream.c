#include "fake_carrier.h"

#include "base/error_text.h"
#include "bootstrap/stream_bytes.h"
#include "test.h"

#include <sys/eventfd.h>
#include <unistd.h>

unsigned fake_streams;

tci_stream *fake_stream_create(void)
{
    tci_stream *stream = calloc(1, sizeof *stream);
    assert_non_null(stream);
    stream->fd = eventfd(0, EFD_CLOEXEC);
    stream->end.status = TC_E_AGAIN;
    fake_streams++;
    return stream;
}

void fake_stream_arrive(tci_stream *stream, const void *bytes, size_t size)
{
    fake_outbox_keep(&stream->arrived, TCI_AM_HELLO, 0, bytes, size);
}

tc_status tci_stream_connect_start(const char *host_port, tci_credentials *credentials,
                                   tci_stream **stream_out, tc_error *err)
{
    (void)credentials;
    if (fake_connect_status != TC_OK)
        return tci_error_set(err, fake_connect_status, "%s: nobody listens", host_port);
    *stream_out = fake_stream_create();
    return TC_OK;
}

bool fake_network_yields;

bool fake_yields(const tci_worker *worker)
{
    (void)worker;
    return fake_network_yields;
}

static tc_status tell(const tc_error *what, tc_error *err)
{
    if (what->status != TC_OK && what->status != TC_E_AGAIN && err != NULL)
        *err = *what;
    return what->status;
}

tc_status tci_stream_connect_finish(tci_stream *stream, tc_error *err)
{
    return tell(&stream->connected, err);
}

bool tci_stream_is_unanswered(const tci_stream *stream)
{
    return stream->is_unanswered;
}

tc_status tci_stream_send(tci_stream *stream, const void *bytes, size_t size, tc_error *err)
{
    (void)err;
    fake_outbox_keep(&stream->sent, TCI_AM_HELLO, 0, bytes, size);
    return TC_OK;
}

tc_status tci_stream_flush(tci_stream *stream, tc_error *err)
{
    (void)err;
    stream->flushes++;
    return TC_OK;
}

tc_status tci_stream_receive(tci_stream *stream, tci_hello_kind *kind_out,
                             const void **message_out, size_t *size_out, tc_error *err)
{
    tci_hello_preamble preamble;
    const fake_post *post = fake_outbox_take(&stream->arrived);
    if (post == NULL)
        return tell(&stream->end, err);
    TC_TRY(tci_hello_preamble_decode(post->bytes, post->size, &preamble, err));
    *kind_out = preamble.kind;
    *message_out = post->bytes;
    *size_out = post->size;
    return TC_OK;
}

bool tci_stream_is_connected(const tci_stream *stream)
{
    return stream->connected.status == TC_OK || stream->is_proving;
}

const char *tci_stream_identity(const tci_stream *stream)
{
    return stream->identity;
}

bool tci_stream_is_local(const tci_stream *stream)
{
    return !stream->is_remote;
}

bool tci_stream_is_foreign(const tci_stream *stream)
{
    (void)stream;
    return false;
}

const tci_credentials *tci_stream_credentials(const tci_stream *stream)
{
    (void)stream;
    return NULL;
}

const char *tci_stream_peer(const tci_stream *stream)
{
    (void)stream;
    return "fake stream";
}

int tci_stream_fd(const tci_stream *stream)
{
    return stream->fd;
}

void tci_stream_close(tci_stream *stream)
{
    fake_outbox_empty(&stream->sent);
    fake_outbox_empty(&stream->arrived);
    free(stream->bytes);
    close(stream->fd);
    free(stream);
    fake_streams--;
}

/* --- as bytes: fed bytes arrive, and sent ones are lost
 * ------------------------------------ */

void fake_stream_feed(tci_stream *stream, const void *bytes, size_t size, size_t piece)
{
    size_t left = stream->fed - stream->at;
    uint8_t *all = malloc(left + size + 1);
    assert_non_null(all);
    if (left > 0)
        memcpy(all, stream->bytes + stream->at, left);
    if (size > 0)
        memcpy(all + left, bytes, size);
    free(stream->bytes);
    stream->bytes = all;
    stream->shown -= stream->at;
    stream->at = 0;
    stream->fed = left + size;
    stream->piece = piece;
}

tc_status tci_stream_widen(tci_stream *stream, tci_stream_spares **spares, tc_error *err)
{
    (void)stream, (void)spares;
    return tci_error_set(err, TC_E_UNSUPPORTED, "this stream carries hello messages alone");
}

tc_status tci_stream_send_error(const tci_stream *stream, tc_error *err)
{
    (void)stream, (void)err;
    return TC_OK;
}

const uint8_t *tci_stream_look(const tci_stream *stream, size_t *size_out)
{
    *size_out = stream->shown - stream->at;
    return stream->bytes + stream->at;
}

void tci_stream_skip(tci_stream *stream, size_t size)
{
    assert_true(size <= stream->shown - stream->at);
    stream->at += size;
}

static size_t next_piece(const tci_stream *stream)
{
    size_t left = stream->fed - stream->shown;
    return left < stream->piece ? left : stream->piece;
}

tc_status tci_stream_fill(tci_stream *stream, bool *more_out, tc_error *err)
{
    size_t n = next_piece(stream);
    if (n == 0 || stream->shown - stream->at + n > TCI_STREAM_WIDE_BYTES)
        return n == 0 ? tell(&stream->end, err) : TC_E_AGAIN;
    stream->shown += n;
    *more_out = true;
    return TC_OK;
}

tc_status tci_stream_read(tci_stream *stream, uint8_t *to, size_t size, size_t *n_out,
                          bool *more_out, tc_error *err)
{
    size_t n = next_piece(stream);
    assert_int_equal(stream->shown, stream->at);
    if (n == 0)
        return tell(&stream->end, err);
    n = n < size ? n : size;
    memcpy(to, stream->bytes + stream->at, n);
    stream->at += n;
    stream->shown += n;
    *n_out = n;
    *more_out = n == size;
    return TC_OK;
}

void tci_stream_set_least(tci_stream *stream, size_t bytes)
{
    stream->least = bytes;
}

bool tci_stream_has_bytes(const tci_stream *stream)
{
    (void)stream;
    return false;
}

size_t tci_stream_unsent(const tci_stream *stream)
{
    (void)stream;
    return 0;
}

size_t tci_stream_room(const tci_stream *stream)
{
    (void)stream;
    return 0;
}

void tci_stream_add(tci_stream *stream, const void *bytes, size_t size)
{
    (void)stream, (void)bytes, (void)size;
}

tc_status tci_stream_write(tci_stream *stream, const void *bytes, size_t size, size_t *n_out,
                           tc_error *err)
{
    (void)stream, (void)bytes, (void)size, (void)n_out, (void)err;
    return TC_E_AGAIN;
}

/* --- listeners: no peer comes ------------------------------------------------------------ */

/* Its connection has a write for each piece. */
bool tci_stream_is_clear(const tci_stream *stream)
{
    (void)stream;
    return false;
}

tc_status tci_stream_write_behind(tci_stream *stream, const void *bytes, size_t size,
                                  size_t *n_out, tc_error *err)
{
    return tci_stream_write(stream, bytes, size, n_out, err);
}

struct tci_stream_listener {
    bool is_shut;
};

tc_status tci_stream_listener_twin(const tci_stream_listener *of, tci_credentials *credentials,
                                   tci_stream_listener **twin_out, tc_error *err)
{
    (void)of, (void)credentials, (void)err;
    *twin_out = calloc(1, sizeof **twin_out);
    assert_non_null(*twin_out);
    return TC_OK;
}

void tci_stream_listener_shut(tci_stream_listener *listener, bool shut)
{
    listener->is_shut = shut;
}

tc_status tci_stream_accept(tci_stream_listener *listener, tci_stream **stream_out,
                            tc_error *err)
{
    (void)listener, (void)stream_out, (void)err;
    return TC_E_AGAIN;
}

void tci_stream_listener_close(tci_stream_listener *listener)
{
    free(listener);
}
