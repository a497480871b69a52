#include "route.h"

#include "base/cursor.h"
#include "base/error_text.h"

#include <string.h>

/* Two numbers in one store: a ring's memory is the other processor's (base/small_copy.h). */
static inline uint64_t two_words(uint32_t first, uint32_t second)
{
    return first | (uint64_t)second << 32;
}

void tci_route_encode(const tci_route *route, uint8_t *out)
{
    const size_t path_bytes = 4u * (size_t)route->path_length;
    tci_writer w;
    tci_writer_init(&w, out, path_bytes);
    for (uint32_t i = 0; i < route->path_length; i++)
        tci_write_u32(&w, route->path[i]);
    tci_writer_init(&w, out + path_bytes, TCI_ROUTE_BYTES);
    tci_write_u64(&w, route->call);
    tci_write_u64(&w, two_words(route->origin, route->hops));
    tci_write_u64(&w, two_words(route->hop_limit, route->traced));
    tci_write_u32(&w, route->path_length);
}

tc_status tci_route_decode(const uint8_t *payload, size_t size, tci_route *route_out,
                           size_t *rest_out, tc_error *err)
{
    tci_reader r;
    if (size < TCI_ROUTE_BYTES)
        return tci_error_set(err, TC_E_CORRUPT,
                             "route: a payload of %zu bytes, expected at least %u", size,
                             TCI_ROUTE_BYTES);
    tci_reader_init(&r, payload + size - TCI_ROUTE_BYTES, TCI_ROUTE_BYTES);
    route_out->call = tci_read_u64(&r);
    route_out->origin = tci_read_u32(&r);
    route_out->hops = tci_read_u32(&r);
    route_out->hop_limit = tci_read_u32(&r);
    route_out->traced = tci_read_u32(&r);
    route_out->path_length = tci_read_u32(&r);
    if (route_out->traced > 1)
        return tci_error_set(err, TC_E_CORRUPT, "route: traced is %u, expected 0 or 1",
                             route_out->traced);
    if (route_out->path_length > TCI_ROUTE_PATH_MAX || tci_route_bytes(route_out) > size)
        return tci_error_set(err, TC_E_CORRUPT,
                             "route: a path of %u ranks in a payload of %zu bytes, expected %u "
                             "at most",
                             route_out->path_length, size, TCI_ROUTE_PATH_MAX);
    *rest_out = size - tci_route_bytes(route_out);
    tci_reader_init(&r, payload + *rest_out, 4u * (size_t)route_out->path_length);
    for (uint32_t i = 0; i < route_out->path_length; i++)
        route_out->path[i] = tci_read_u32(&r);
    return TC_OK;
}

void tci_reply_encode(const tci_reply *reply, uint8_t out[TCI_REPLY_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_REPLY_BYTES);
    tci_write_u64(&w, reply->call);
    tci_write_u64(&w, reply->total);
    tci_write_u64(&w, reply->offset);
    tci_write_u64(&w, two_words((uint32_t)reply->status, reply->hops));
    tci_write_u64(&w, two_words(reply->rank, reply->path_length));
}

static tc_status judge_reply(const tci_reply *reply, size_t part, tc_error *err)
{
    if (reply->status > 0)
        return tci_error_set(err, TC_E_CORRUPT, "answer: status %d, expected 0 or less",
                             reply->status);
    if (reply->call == 0 && reply->status == 0)
        return tci_error_set(err, TC_E_CORRUPT, "answer: status 0 of what no call waits for");
    if (reply->offset > reply->total || part > reply->total - reply->offset)
        return tci_error_set(err, TC_E_CORRUPT, "answer: %zu bytes at %llu of %llu", part,
                             (unsigned long long)reply->offset,
                             (unsigned long long)reply->total);
    if (part == 0 && reply->total != 0)
        return tci_error_set(err, TC_E_CORRUPT, "answer: a part of no bytes, of %llu",
                             (unsigned long long)reply->total);
    return TC_OK;
}

static tc_status refuse_reply(const tci_reply *reply, size_t size, tc_error *err)
{
    return tci_error_set(err, TC_E_CORRUPT,
                         "answer: %zu bytes and a path of %u ranks, expected %u bytes at least "
                         "and %u ranks at most",
                         size, reply->path_length, TCI_REPLY_BYTES, TCI_ROUTE_PATH_MAX);
}

tc_status tci_reply_decode(const uint8_t *payload, size_t size, tci_reply *reply_out,
                           const uint8_t **path_out, const uint8_t **part_out,
                           size_t *part_size_out, tc_error *err)
{
    tci_reader r;
    reply_out->path_length = 0;
    if (size < TCI_REPLY_BYTES)
        return refuse_reply(reply_out, size, err);
    tci_reader_init(&r, payload, TCI_REPLY_BYTES);
    reply_out->call = tci_read_u64(&r);
    reply_out->total = tci_read_u64(&r);
    reply_out->offset = tci_read_u64(&r);
    reply_out->status = (int32_t)tci_read_u32(&r);
    reply_out->hops = tci_read_u32(&r);
    reply_out->rank = tci_read_u32(&r);
    reply_out->path_length = tci_read_u32(&r);
    if (reply_out->path_length > TCI_ROUTE_PATH_MAX ||
        4u * (size_t)reply_out->path_length > size - TCI_REPLY_BYTES)
        return refuse_reply(reply_out, size, err);
    *path_out = payload + TCI_REPLY_BYTES;
    *part_out = *path_out + 4u * (size_t)reply_out->path_length;
    *part_size_out = size - (size_t)(*part_out - payload);
    return judge_reply(reply_out, *part_size_out, err);
}

bool tci_reply_ends(const uint8_t *payload, size_t size)
{
    tci_reader r;
    if (size < TCI_REPLY_BYTES)
        return false;
    tci_reader_init(&r, payload, TCI_REPLY_BYTES);
    const uint64_t call = tci_read_u64(&r), total = tci_read_u64(&r), offset = tci_read_u64(&r);
    (void)tci_read_bytes(&r, TCI_REPLY_BYTES - 28);
    const uint64_t path_bytes = 4u * (uint64_t)tci_read_u32(&r);
    const uint64_t rest = size - TCI_REPLY_BYTES;
    return call != 0 && path_bytes <= rest && offset + (rest - path_bytes) == total;
}

void tci_membership_encode(const tci_membership *m, uint8_t out[TCI_MEMBERSHIP_BYTES])
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_MEMBERSHIP_BYTES);
    tci_write_u64(&w, m->group);
    tci_write_u32(&w, m->size);
    tci_write_u32(&w, m->rank);
}

tc_status tci_membership_decode(const uint8_t *payload, size_t size, tci_membership *out,
                                tc_error *err)
{
    tci_reader r;
    if (size != TCI_MEMBERSHIP_BYTES)
        return tci_error_set(err, TC_E_CORRUPT, "membership: %zu bytes, expected %u", size,
                             TCI_MEMBERSHIP_BYTES);
    tci_reader_init(&r, payload, size);
    out->group = tci_read_u64(&r);
    out->size = tci_read_u32(&r);
    out->rank = tci_read_u32(&r);
    if (out->group == 0 || out->rank >= out->size)
        return tci_error_set(err, TC_E_CORRUPT,
                             "membership: rank %u of %u in group %llu, expected a rank below "
                             "the size and a group that is not 0",
                             out->rank, out->size, (unsigned long long)out->group);
    return TC_OK;
}
