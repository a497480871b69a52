/* Routes and answers: the data that accompanies the payload of messages that are to be answered
 * or were sent on. A route names the message's origin and its way. docs/wire-format.md is the
 * specification; these are pure functions on bytes.
 *
 * A route stands at the end of the payload, so that the payload itself keeps its alignment. */
#ifndef TCI_ROUTE_H
#define TCI_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tc/status.h>

/* Flag of CALL, CODE and FRAGMENT frames: the payload (with FRAGMENT the whole one) ends with a
 * route. */
#define TCI_ROUTED 0x80u

/* Flag of CALL and REPLY frames: the short form of a route, and of an answer, which is the
 * number of the call alone. Behind a payload it stands for a route from the peer itself that
 * has made no hop; behind an answer: all went well, and the peer itself answers with these
 * bytes. Only peers with TCI_HELLO_BRIEF in their HELLO get such frames. */
#define TCI_BRIEF 0x20u
#define TCI_BRIEF_BYTES 8u

#define TCI_ROUTE_BYTES 28u
/* The hop limit of messages without one of their own, and of the short form. */
#define TCI_ROUTE_HOPS_DEFAULT 65536u
#define TCI_ROUTE_PATH_MAX 256u
#define TCI_ROUTE_BYTES_MAX (TCI_ROUTE_BYTES + 4u * TCI_ROUTE_PATH_MAX)

typedef struct tci_route {
    uint64_t call;      /* the origin's number for its call; 0: no answer is wanted */
    uint32_t origin;    /* a rank; UINT32_MAX: the sender, without a group */
    uint32_t hops;      /* number of times it was sent on */
    uint32_t hop_limit; /* largest number of times that it may be sent on */
    uint32_t traced;    /* 1: members append their rank to the path when they send it on */
    uint32_t path_length;
    uint32_t path[TCI_ROUTE_PATH_MAX];
} tci_route;

static inline size_t tci_route_bytes(const tci_route *route)
{
    return TCI_ROUTE_BYTES + 4u * (size_t)route->path_length;
}

/* Writes tci_route_bytes to out. */
void tci_route_encode(const tci_route *route, uint8_t *out);

/* Reads the route at the end of a payload of `size` bytes; *rest_out is the number of bytes
 * before it. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_route_decode(const uint8_t *payload, size_t size,
                                         tci_route *route_out, size_t *rest_out, tc_error *err);

/* Makes the route of a call in the short form, without an origin. The path is not cleared. */
static inline void tci_route_set_brief(tci_route *route, uint64_t call)
{
    route->call = call;
    route->origin = UINT32_MAX;
    route->hops = 0;
    route->hop_limit = TCI_ROUTE_HOPS_DEFAULT;
    route->traced = 0;
    route->path_length = 0;
}

/* Reads the number at the end of a payload of TCI_BRIEF_BYTES or more. */
static inline uint64_t tci_route_brief(const uint8_t *payload, size_t size)
{
    uint64_t call;
    memcpy(&call, payload + size - TCI_BRIEF_BYTES, sizeof call);
    return call;
}

/* --- answers ----------------------------------------------------------------------------- */

/* The head of a REPLY frame's payload. The path of a traced call and a part of the answer
 * follow, up to the end of the frame. With a status other than TC_OK the answer is a text. */
typedef struct tci_reply {
    uint64_t call; /* 0: about a message without a call to answer; a status and a text */
    uint64_t total;
    uint64_t offset; /* of this part in the answer */
    int32_t status;
    uint32_t hops;
    uint32_t rank; /* of the member that answered */
    uint32_t path_length;
} tci_reply;

#define TCI_REPLY_BYTES 40u
/* The call of a reply that is padding. The low half of a call's number is never 0. */
#define TCI_REPLY_PADDING (1ull << 32)

void tci_reply_encode(const tci_reply *reply, uint8_t out[TCI_REPLY_BYTES]);

/* Reads a REPLY frame's payload; path and part are views of it. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_reply_decode(const uint8_t *payload, size_t size,
                                         tci_reply *reply_out, const uint8_t **path_out,
                                         const uint8_t **part_out, size_t *part_size_out,
                                         tc_error *err);

/* Returns whether such a payload is the last part of an answer to a call. */
bool tci_reply_ends(const uint8_t *payload, size_t size);

/* --- control frames among the members of a group ----------------------------------------- */

/* The payload of MEMBER: the sender is this member of this group. */
typedef struct tci_membership {
    uint64_t group; /* not 0 */
    uint32_t size;
    uint32_t rank; /* below size */
} tci_membership;

#define TCI_MEMBERSHIP_BYTES 16u

void tci_membership_encode(const tci_membership *m, uint8_t out[TCI_MEMBERSHIP_BYTES]);
TC_MUST_CHECK tc_status tci_membership_decode(const uint8_t *payload, size_t size,
                                              tci_membership *out, tc_error *err);

#endif
