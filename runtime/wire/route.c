#include "route.h"

#include "base/cursor.h"
#include "base/error_text.h"

#include <string.h>

void tci_route_encode(const tci_route *route, uint8_t *out)
{
    tci_writer w;
    tci_writer_init(&w, out, tci_route_bytes(route));
    for (uint32_t i = 0; i < route->path_length; i++)
        tci_write_u32(&w, route->path[i]);
    tci_write_u64(&w, route->call);
    tci_write_u32(&w, route->origin);
    tci_write_u32(&w, route->hops);
    tci_write_u32(&w, route->hop_limit);
    tci_write_u32(&w, route->traced);
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
    tci_write_u32(&w, (uint32_t)reply->status);
    tci_write_u32(&w, reply->hops);
    tci_write_u32(&w, reply->rank);
    tci_write_u32(&w, reply->path_length);
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

tc_status tci_reply_decode(const uint8_t *payload, size_t size, tci_reply *reply_out,
                           const uint8_t **path_out, const uint8_t **part_out,
                           size_t *part_size_out, tc_error *err)
{
    tci_reader r;
    tci_reader_init(&r, payload, size);
    reply_out->call = tci_read_u64(&r);
    reply_out->total = tci_read_u64(&r);
    reply_out->offset = tci_read_u64(&r);
    reply_out->status = (int32_t)tci_read_u32(&r);
    reply_out->hops = tci_read_u32(&r);
    reply_out->rank = tci_read_u32(&r);
    reply_out->path_length = tci_read_u32(&r);
    if (r.failed || reply_out->path_length > TCI_ROUTE_PATH_MAX ||
        4u * (size_t)reply_out->path_length > tci_reader_left(&r))
        return tci_error_set(err, TC_E_CORRUPT,
                             "answer: %zu bytes and a path of %u ranks, expected %u bytes at "
                             "least and %u ranks at most",
                             size, r.failed ? 0 : reply_out->path_length, TCI_REPLY_BYTES,
                             TCI_ROUTE_PATH_MAX);
    *path_out = tci_read_bytes(&r, 4u * (size_t)reply_out->path_length);
    *part_size_out = tci_reader_left(&r);
    *part_out = tci_read_bytes(&r, *part_size_out);
    return judge_reply(reply_out, *part_size_out, err);
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
