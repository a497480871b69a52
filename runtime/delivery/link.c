#include "link.h"

#include "delivery/link_ops.h"

bool tci_link_carries(const tci_link *link, unsigned uses)
{
    return (uses & ~link->ops->carries) == 0;
}

const char *tci_link_lacks(const tci_link *link)
{
    return link->ops->lacks;
}

size_t tci_link_part_bytes(const tci_link *link)
{
    return link->ops->part_bytes;
}

bool tci_link_turn(tci_link *link)
{
    return link->ops->turn == NULL || link->ops->turn(link);
}

bool tci_link_has_bytes(const tci_link *link)
{
    return link->ops->has_bytes != NULL && link->ops->has_bytes(link);
}

void tci_link_watch_space(tci_link *link, bool sleeps)
{
    if (link->ops->watch_space != NULL)
        link->ops->watch_space(link, sleeps);
}

tc_status tci_link_ready(tci_link *link, tc_error *err)
{
    return link->ops->ready(link, err);
}

void tci_link_close(tci_link *link, uint64_t timeout_ns)
{
    link->ops->close(link, timeout_ns);
}

void tci_link_flush_begin(tci_link *link)
{
    link->ops->flush_begin(link);
}

bool tci_link_flush_ended(tci_link *link)
{
    return link->ops->flush_ended(link);
}

void tci_link_look_for_peer(tci_link *link, uint64_t now_ns, bool closely)
{
    if (link->ops->look_for_peer != NULL)
        link->ops->look_for_peer(link, now_ns, closely);
}

tc_status tci_link_error(const tci_link *link, tc_error *err)
{
    return link->ops->error(link, err);
}

void tci_link_put_aside(tci_link *link)
{
    if (link->ops->put_aside != NULL)
        link->ops->put_aside(link);
}

void tci_link_set_peer(tci_link *link, uint16_t connection, uint64_t token)
{
    if (link->ops->set_peer != NULL)
        link->ops->set_peer(link, connection, token);
}

tc_status tci_link_post(tci_link *link, tci_am kind, const void *bytes, size_t size,
                        tc_error *err)
{
    return link->ops->post(link, kind, bytes, size, err);
}

tc_status tci_link_send(tci_link *link, tci_am kind, uint16_t position, tci_link_op *op,
                        const void *bytes, size_t size, bool *under_way_out)
{
    return link->ops->send(link, kind, position, op, bytes, size, under_way_out);
}

tc_status tci_link_send_payload(tci_link *link, uint16_t number, tci_payload_header *header,
                                tci_link_op *op, const void *bytes, size_t size,
                                bool *under_way_out)
{
    return link->ops->send_payload(link, number, header, op, bytes, size, under_way_out);
}
