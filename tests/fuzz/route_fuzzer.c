/* Routes, answers and memberships from an untrusted peer. The first byte chooses one; accepted
 * data are written again and must be the same bytes. */
#include "fuzzer.h"
#include "wire/route.h"

#include <string.h>

static void check_route(const uint8_t *data, size_t size)
{
    static tci_route route;
    uint8_t again[TCI_ROUTE_BYTES_MAX];
    size_t rest;
    if (tci_route_decode(data, size, &route, &rest, NULL) != TC_OK)
        return;
    size_t bytes = tci_route_bytes(&route);
    if (rest + bytes != size)
        abort();
    tci_route_encode(&route, again);
    if (memcmp(again, data + rest, bytes) != 0)
        abort();
}

static void check_reply(const uint8_t *data, size_t size)
{
    tci_reply reply;
    const uint8_t *path, *part;
    uint8_t again[TCI_REPLY_BYTES];
    size_t part_size;
    if (tci_reply_decode(data, size, &reply, &path, &part, &part_size, NULL) != TC_OK)
        return;
    if (path != data + TCI_REPLY_BYTES || part + part_size != data + size ||
        part != path + 4u * (size_t)reply.path_length || reply.offset + part_size > reply.total)
        abort();
    tci_reply_encode(&reply, again);
    if (memcmp(again, data, sizeof again) != 0)
        abort();
}

static void check_membership(const uint8_t *data, size_t size)
{
    tci_membership member;
    uint8_t again[TCI_MEMBERSHIP_BYTES];
    if (tci_membership_decode(data, size, &member, NULL) != TC_OK)
        return;
    tci_membership_encode(&member, again);
    if (size != sizeof again || memcmp(again, data, size) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    /* in memory of just that size, so that a step outside shows */
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        abort();
    memcpy(copy, data + 1, size - 1);
    if (data[0] % 3 == 0)
        check_route(copy, size - 1);
    else if (data[0] % 3 == 1)
        check_reply(copy, size - 1);
    else
        check_membership(copy, size - 1);
    free(copy);
    return 0;
}
