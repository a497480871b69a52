#include "run_protocol.h"

#include "base/assertion.h"
#include "base/cursor.h"
#include "base/error_text.h"

#include <string.h>

static const uint8_t magic[2] = {'T', 'R'};

bool tci_run_name_is_sound(const char *name, size_t size)
{
    size_t n = 0;
    while (n < size && name[n] >= ' ' && name[n] < 0x7f)
        n++;
    return size > 0 && size <= TCI_RUN_NAME_MAX && n == size;
}

static void write_head(tci_writer *w, uint8_t *out, tci_run_kind kind)
{
    tci_writer_init(w, out, TCI_RUN_PACKET_MAX);
    tci_write_bytes(w, magic, sizeof magic);
    tci_write_u8(w, TCI_RUN_PROTOCOL);
    tci_write_u8(w, (uint8_t)kind);
}

size_t tci_run_request_encode(const tci_run_request *request, uint8_t out[TCI_RUN_PACKET_MAX])
{
    tci_writer w;
    write_head(&w, out, request->kind);
    tci_write_bytes(&w, request->secret, sizeof request->secret);
    tci_write_u32(&w, request->round);
    tci_write_u32(&w, request->rank);
    if (request->kind == TCI_RUN_LOOKUP) {
        tci_write_u32(&w, request->wanted);
        tci_write_u8(&w, request->wait);
    } else if (request->kind == TCI_RUN_PUBLISH) {
        tci_write_bytes(&w, request->address, request->address_size);
    }
    TCI_INVARIANT(run_packet, !w.failed);
    return w.at;
}

size_t tci_run_reply_encode(const tci_run_reply *reply, uint8_t out[TCI_RUN_PACKET_MAX])
{
    tci_writer w;
    write_head(&w, out, reply->kind);
    tci_write_u32(&w, reply->rank);
    if (reply->kind == TCI_RUN_REFUSAL)
        tci_write_u8(&w, (uint8_t)-reply->status);
    if (reply->kind != TCI_RUN_DONE)
        tci_write_bytes(&w, reply->bytes, reply->size);
    TCI_INVARIANT(run_packet, !w.failed);
    return w.at;
}

static tc_status read_head(tci_reader *r, const void *packet, size_t size, unsigned *kind_out,
                           tc_error *err)
{
    tci_reader_init(r, packet, size);
    const uint8_t *found = tci_read_bytes(r, sizeof magic);
    unsigned version = tci_read_u8(r);
    unsigned kind = tci_read_u8(r);
    if (r->failed || memcmp(found, magic, sizeof magic) != 0)
        return tci_error_set(err, TC_E_CORRUPT, "%zu bytes that are no message of tc-run",
                             size);
    if (version != TCI_RUN_PROTOCOL)
        return tci_error_set(err, TC_E_VERSION, "version %u of tc-run's protocol, expected %u",
                             version, TCI_RUN_PROTOCOL);
    *kind_out = kind;
    return TC_OK;
}

tc_status tci_run_request_decode(const void *packet, size_t size, tci_run_request *request_out,
                                 tc_error *err)
{
    tci_reader r;
    unsigned kind;
    tci_run_request request = {0};
    TC_TRY(read_head(&r, packet, size, &kind, err));
    const uint8_t *secret = tci_read_bytes(&r, sizeof request.secret);
    if (secret != NULL)
        memcpy(request.secret, secret, sizeof request.secret);
    request.kind = (tci_run_kind)kind;
    request.round = tci_read_u32(&r);
    request.rank = tci_read_u32(&r);
    bool sound = false;
    if (kind == TCI_RUN_LOOKUP) {
        request.wanted = tci_read_u32(&r);
        request.wait = tci_read_u8(&r);
        sound = request.wait <= 1 && tci_reader_left(&r) == 0;
    } else if (kind == TCI_RUN_PUBLISH) {
        request.address_size = tci_reader_left(&r);
        request.address = tci_read_bytes(&r, request.address_size);
        sound = request.address_size > 0 && request.address_size <= TCI_RUN_ADDRESS_MAX;
    } else if (kind == TCI_RUN_WATCH || kind == TCI_RUN_SERVE) {
        sound = tci_reader_left(&r) == 0;
    }
    if (!sound || r.failed || request.round == 0 || request.round > TCI_RUN_ROUND_MAX)
        return tci_error_set(err, TC_E_CORRUPT,
                             "request to tc-run: kind %u, %zu bytes, round %u", kind, size,
                             request.round);
    *request_out = request;
    return TC_OK;
}

static bool is_reply_sound(const tci_run_reply *reply, unsigned status)
{
    switch (reply->kind) {
    case TCI_RUN_DONE:
        return reply->size == 0;
    case TCI_RUN_ADDRESS:
        return reply->size > 0 && reply->size <= TCI_RUN_ADDRESS_MAX;
    case TCI_RUN_REFUSAL:
        return status > 0 && status < UINT8_MAX && reply->size < TC_ERROR_TEXT_MAX;
    case TCI_RUN_PUBLISH:
    case TCI_RUN_LOOKUP:
    case TCI_RUN_WATCH:
    case TCI_RUN_SERVE:
        break;
    }
    return false;
}

tc_status tci_run_reply_decode(const void *packet, size_t size, tci_run_reply *reply_out,
                               tc_error *err)
{
    tci_reader r;
    unsigned kind;
    unsigned status = 0;
    tci_run_reply reply = {0};
    TC_TRY(read_head(&r, packet, size, &kind, err));
    reply.kind = (tci_run_kind)kind;
    reply.rank = tci_read_u32(&r);
    if (kind == TCI_RUN_REFUSAL)
        status = tci_read_u8(&r);
    reply.status = (tc_status) - (int)status;
    reply.size = tci_reader_left(&r);
    reply.bytes = tci_read_bytes(&r, reply.size);
    if (r.failed || !is_reply_sound(&reply, status))
        return tci_error_set(err, TC_E_CORRUPT, "answer of tc-run: kind %u, %zu bytes", kind,
                             size);
    *reply_out = reply;
    return TC_OK;
}
