/* Reads and writes a connection after both sides are proved: records, as many as possible at
 * once. */
#include "tls_session.h"

#include "base/error_text.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define RECORD_BYTES (TCI_TLS_RECORD_PLAIN_MAX + TCI_TLS_RECORD_OVERHEAD_BYTES)
#define IN_BYTES (256u << 10)
/* Records that leave in one write. The first write of many bytes has less, so that the peer has
 * something to open while this side seals the next. */
#define OUT_BYTES (16u * RECORD_BYTES)
#define FIRST_OUT_BYTES (4u * RECORD_BYTES)
/* Records under one key. RFC 8446 allows 2^24.5 with AES-GCM. */
#define RENEW_AFTER (UINT64_C(1) << 23)

/* Key changes of the peer without data between them: each costs this side more than the
 * peer. */
#define RENEWALS_IN_A_ROW_MAX 8u

/* A shorter record is opened in its place, and copied: that needs a call of libcrypto less. */
#define DIRECT_BODY_MIN 512u

#define FATAL 2u
#define UNEXPECTED_MESSAGE 10u
#define BAD_RECORD_MAC 20u
#define KEY_UPDATE 24u
#define KEY_UPDATE_BYTES 5u

/* Memory of a caller that reads. */
typedef struct read_space {
    uint8_t *to;
    size_t size;      /* of its unfilled part */
    bool may_receive; /* it has found no bytes, and not asked the socket */
} read_space;

static void advance(read_space *space, size_t n)
{
    space->to += n;
    space->size -= n;
    space->may_receive &= n == 0;
}

static bool would_block(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

/* --- buffers -----------------------------------------------------------------------------
 *
 * Empty ones are spares of all sessions, so an idle connection takes no memory for them. */

static bool take_buffer(uint8_t **buffer, uint8_t **spare, size_t size)
{
    if (*buffer == NULL) {
        *buffer = *spare != NULL ? *spare : malloc(size);
        *spare = NULL;
    }
    return *buffer != NULL;
}

static void give_buffer(uint8_t **buffer, uint8_t **spare)
{
    if (*spare == NULL)
        *spare = *buffer;
    else
        free(*buffer);
    *buffer = NULL;
}

/* --- writing ----------------------------------------------------------------------------- */

/* Writes as much of the sealed records as the socket accepts. */
static tc_status send_sealed(tci_tls_session *session, tc_error *err)
{
    while (session->out_begin < session->out_end) {
        ssize_t n = send(session->fd, session->out + session->out_begin,
                         session->out_end - session->out_begin, MSG_NOSIGNAL);
        if (n < 0 && would_block(errno))
            return TC_E_AGAIN;
        if (n < 0)
            return tci_tls_session_socket_failed(session, errno, err);
        session->out_begin += (size_t)n;
    }
    session->out_begin = session->out_end = 0;
    give_buffer(&session->out, &session->tls->spare_out);
    return TC_OK;
}

static bool seal(tci_tls_session *session, tci_tls_record_kind kind, const uint8_t *bytes,
                 size_t size)
{
    if (!take_buffer(&session->out, &session->tls->spare_out, OUT_BYTES))
        return false;
    if (!tci_tls_record_seal(&session->sends, kind, bytes, size,
                             session->out + session->out_end))
        return false;
    session->out_end += size + TCI_TLS_RECORD_OVERHEAD_BYTES;
    return true;
}

/* Changes the sending key, before more data leaves, after RENEW_AFTER records or when the peer
 * has asked for it. */
static bool renew(tci_tls_session *session)
{
    static const uint8_t update[KEY_UPDATE_BYTES] = {KEY_UPDATE, 0, 0, 1, 0};
    if (!session->renewal_wanted && session->sends.number < RENEW_AFTER)
        return true;
    session->renewal_wanted = false;
    return seal(session, TCI_TLS_HANDSHAKE, update, sizeof update) &&
           tci_tls_record_renew(&session->sends);
}

/* Seals as much as leaves in one write. */
static bool seal_some(tci_tls_session *session, const uint8_t *bytes, size_t size)
{
    const size_t limit = session->writes_much ? OUT_BYTES : FIRST_OUT_BYTES;
    bool ok = renew(session);
    while (ok && session->sealed < size &&
           limit - session->out_end > TCI_TLS_RECORD_OVERHEAD_BYTES) {
        size_t capacity = limit - session->out_end - TCI_TLS_RECORD_OVERHEAD_BYTES;
        size_t n = size - session->sealed;
        n = n < capacity ? n : capacity;
        n = n < TCI_TLS_RECORD_PLAIN_MAX ? n : TCI_TLS_RECORD_PLAIN_MAX;
        ok = seal(session, TCI_TLS_DATA, bytes + session->sealed, n);
        session->sealed += n;
    }
    session->writes_much = session->sealed < size;
    return ok;
}

/* Seals and sends bytes. Sealed records stand for the same bytes until all have left: the
 * caller passes these again. */
tc_status tci_tls_session_write(tci_tls_session *session, const void *bytes, size_t size,
                                size_t *written_out, tc_error *err)
{
    if (session->failed)
        return tci_error_set(err, TC_E_CORRUPT, "TLS has failed before");
    if (session->sealed > size || (session->sealed == 0 && !seal_some(session, bytes, size))) {
        session->failed = true;
        ERR_clear_error();
        return tci_error_set(err, TC_E_NO_MEMORY, "TLS: out of memory");
    }
    TC_TRY(send_sealed(session, err));
    *written_out = session->sealed;
    session->sealed = 0;
    return TC_OK;
}

/* Sends an alert, if the socket accepts it at once: this side ends the connection after it. */
static void say_alert(tci_tls_session *session, uint8_t level, uint8_t description)
{
    const uint8_t alert[] = {level, description};
    if (send_sealed(session, NULL) == TC_OK &&
        seal(session, TCI_TLS_ALERT, alert, sizeof alert)) {
        tc_status status = send_sealed(session, NULL);
        (void)status;
    }
}

void tci_tls_session_say_end(tci_tls_session *session)
{
    say_alert(session, 1, SSL3_AD_CLOSE_NOTIFY);
}

/* --- reading ----------------------------------------------------------------------------- */

static tc_status ended(const tci_tls_session *session, tc_error *err)
{
    return tci_error_set(err, TC_E_PEER_LOST,
                         session->established
                             ? "it closed the connection without ending it in order"
                             : "it closed the connection within the TLS handshake");
}

/* Reads more from the socket, behind the part of a record that was received before. */
static tc_status receive(tci_tls_session *session, tc_error *err)
{
    size_t there = session->in_end - session->in_begin;
    if (!take_buffer(&session->in, &session->tls->spare_in, IN_BYTES))
        return tci_error_set(err, TC_E_NO_MEMORY, "TLS: out of memory");
    if (session->in_begin > 0)
        memmove(session->in, session->in + session->in_begin, there);
    session->in_begin = 0;
    session->in_end = there;
    ssize_t n = recv(session->fd, session->in + there, IN_BYTES - there, 0);
    if (n == 0)
        return ended(session, err);
    if (n < 0)
        return would_block(errno) ? TC_E_AGAIN
                                  : tci_tls_session_socket_failed(session, errno, err);
    session->in_end += (size_t)n;
    return TC_OK;
}

static tc_status broken(tci_tls_session *session, const char *what, tc_error *err)
{
    ERR_clear_error();
    say_alert(session, FATAL, BAD_RECORD_MAC);
    session->failed = true;
    return tci_error_set(err, TC_E_CORRUPT, "a record was changed on its way: %s", what);
}

static tc_status take_alert(tci_tls_session *session, const uint8_t *bytes, size_t size,
                            bool *ended_out, tc_error *err)
{
    if (size != 2)
        return broken(session, "an alert is 2 bytes", err);
    *ended_out = bytes[1] == SSL3_AD_CLOSE_NOTIFY;
    if (*ended_out)
        return tci_error_set(err, TC_E_PEER_LOST, "it closed the connection");
    session->failed = true;
    return tci_tls_session_peer_refused(session, bytes[1], err);
}

static tc_status renewed_too_often(tci_tls_session *session, tc_error *err)
{
    say_alert(session, FATAL, UNEXPECTED_MESSAGE);
    session->failed = true;
    return tci_error_set(err, TC_E_CORRUPT,
                         "it changed its key %u times without data between, expected at most "
                         "%u times",
                         session->renewals, RENEWALS_IN_A_ROW_MAX);
}

/* Handles a handshake message after the handshake. A KeyUpdate is the only one that a peer
 * sends. */
static tc_status take_key_update(tci_tls_session *session, const uint8_t *bytes, size_t size,
                                 tc_error *err)
{
    static const uint8_t update[KEY_UPDATE_BYTES - 1] = {KEY_UPDATE, 0, 0, 1};
    if (size != KEY_UPDATE_BYTES || memcmp(bytes, update, sizeof update) != 0 ||
        bytes[size - 1] > 1 || !tci_tls_record_renew(&session->receives))
        return broken(session, "a part of a handshake that none expects", err);
    if (++session->renewals > RENEWALS_IN_A_ROW_MAX)
        return renewed_too_often(session, err);
    session->renewal_wanted |= bytes[size - 1] == 1;
    return TC_OK;
}

/* Opens a long record into the caller's memory, if that has enough. */
static tc_status take_record(tci_tls_session *session, size_t body_bytes, read_space *space,
                             bool *ended_out, tc_error *err)
{
    uint8_t *record = session->in + session->in_begin;
    bool direct =
        body_bytes >= DIRECT_BODY_MIN && body_bytes - TCI_TLS_RECORD_BODY_MIN <= space->size;
    uint8_t *bytes = direct ? space->to : record + TCI_TLS_RECORD_HEAD_BYTES;
    uint8_t kind;
    size_t size;
    if (!tci_tls_record_open(&session->receives, record, body_bytes, bytes, &kind, &size))
        return broken(session, "its authentication tag is another", err);
    session->in_begin += TCI_TLS_RECORD_HEAD_BYTES + body_bytes;
    if (kind == TCI_TLS_ALERT)
        return take_alert(session, bytes, size, ended_out, err);
    if (kind == TCI_TLS_HANDSHAKE)
        return take_key_update(session, bytes, size, err);
    if (kind != TCI_TLS_DATA)
        return broken(session, "it is of no kind that may come", err);
    if (size > 0)
        session->renewals = 0;
    if (direct) {
        advance(space, size);
        return TC_OK;
    }
    session->plain = bytes;
    session->plain_bytes = size;
    return TC_OK;
}

/* TC_OK: the whole next record was received. TC_E_CORRUPT: its head is invalid, which is found
 * without the rest. TC_E_AGAIN: more is needed. */
static tc_status look_for_record(const tci_tls_session *session, size_t *body_bytes_out)
{
    size_t there = session->in_end - session->in_begin;
    if (there < TCI_TLS_RECORD_HEAD_BYTES)
        return TC_E_AGAIN;
    *body_bytes_out = tci_tls_record_body_bytes(session->in + session->in_begin);
    if (*body_bytes_out == 0)
        return TC_E_CORRUPT;
    return there - TCI_TLS_RECORD_HEAD_BYTES < *body_bytes_out ? TC_E_AGAIN : TC_OK;
}

/* Takes the next record. Reads the socket at most once per call of tci_tls_session_read, and
 * only if that has found no bytes, as the descriptor reports when there is more. */
static tc_status next_record(tci_tls_session *session, read_space *space, bool *ended_out,
                             tc_error *err)
{
    size_t body_bytes;
    tc_status status = look_for_record(session, &body_bytes);
    if (status == TC_E_AGAIN && space->may_receive) {
        space->may_receive = false;
        TC_TRY(receive(session, err));
        status = look_for_record(session, &body_bytes);
    }
    if (status == TC_E_AGAIN)
        return status;
    if (status == TC_E_CORRUPT)
        return broken(session, "its head is none", err);
    return take_record(session, body_bytes, space, ended_out, err);
}

static void take_plain(tci_tls_session *session, read_space *space)
{
    size_t n = space->size < session->plain_bytes ? space->size : session->plain_bytes;
    if (n == 0)
        return;
    memcpy(space->to, session->plain, n);
    session->plain += n;
    session->plain_bytes -= n;
    advance(space, n);
}

/* Keeps an error that was found behind bytes, for the next read. */
static void keep_error(tci_tls_session *session, const tc_error *error, bool ended)
{
    session->kept = error->status;
    session->kept_ended = ended;
    (void)snprintf(session->reason, sizeof session->reason, "%s", error->text);
}

tc_status tci_tls_session_read(tci_tls_session *session, void *bytes, size_t size,
                               size_t *read_out, bool *ended_out, tc_error *err)
{
    read_space space = {.to = bytes, .size = size, .may_receive = true};
    tc_error failed;
    *ended_out = session->kept_ended;
    if (session->kept != TC_OK)
        return tci_error_set(err, session->kept, "%s", session->reason);
    if (session->failed)
        return tci_error_set(err, TC_E_CORRUPT, "TLS has failed before");
    tc_status status = TC_OK;
    take_plain(session, &space);
    while (status == TC_OK && space.size > 0) {
        status = next_record(session, &space, ended_out, space.to == bytes ? err : &failed);
        take_plain(session, &space);
    }
    if (session->in_begin == session->in_end && session->plain_bytes == 0)
        give_buffer(&session->in, &session->tls->spare_in);
    if (space.to == bytes)
        return status;
    if (status != TC_OK && status != TC_E_AGAIN)
        keep_error(session, &failed, *ended_out);
    *ended_out = false;
    *read_out = size - space.size;
    return TC_OK;
}

/* Returns whether a read finds bytes, or an error, without the socket. For a part of a record
 * the descriptor reports when there is more. */
bool tci_tls_session_has_bytes(const tci_tls_session *session)
{
    size_t body_bytes;
    return session->plain_bytes > 0 || session->kept != TC_OK ||
           look_for_record(session, &body_bytes) != TC_E_AGAIN;
}

bool tci_tls_session_wants_write(const tci_tls_session *session)
{
    return session->wants_write || session->out_begin < session->out_end;
}
