/* A group from the inside. Endpoints of a group belong to the core, as accepted ones do: when
 * one ends it is freed, and the member has none until somebody asks for it again. */
#ifndef TCI_GROUP_PRIVATE_H
#define TCI_GROUP_PRIVATE_H

#include "core/ep.h"
#include "wire/route.h"

#include <tc/group.h>

typedef struct tci_member {
    tc_ep *ep;        /* by which this side sends to it; NULL: none yet, or it has ended */
    char *address;    /* host:port with its terminator, or an ADDRESS message */
    size_t size;      /* without the terminator; 0: not known */
    uint64_t arrived; /* barriers that it has come to; rank 0 counts */
    tc_ep *arrived_by;
    tc_error *error; /* why the last endpoint ended, or NULL */
} tci_member;

struct tc_group {
    tci_core *core;
    tc_group *next; /* of the core's */
    uint64_t id;
    uint32_t rank;
    uint32_t size;
    tci_member *members;
    tc_listener *listener; /* its own, or NULL */
    uint64_t entered;      /* barriers that this side has come to */
    uint64_t released;     /* and rank 0 has ended */
    uint64_t failures;
    tc_error failure; /* the newest */
};

/* A member's "host:port", for texts. */
const char *tci_member_text(const tc_group *group, uint32_t rank);

/* Of a context that ends; its endpoints are gone. */
void tci_groups_free(tci_core *core);

tc_group *tci_group_find(tci_core *core, uint64_t id);

/* The listener is the group's from now on: tc_group_destroy closes it. */
void tci_group_keep_listener(tc_group *group, tc_listener *listener);

/* Endpoints that named this group before there was one here. */
void tci_group_adopt(tc_group *group);

/* An endpoint of a group has opened: says who is here. */
void tci_group_ep_opened(tc_ep *ep);
/* One that may be of a group has ended, or goes. */
void tci_group_ep_ended(tc_ep *ep, const tc_error *error);

/* The control frames MEMBER, ARRIVED and RELEASED. TC_E_CORRUPT: the endpoint has to end. */
TC_MUST_CHECK tc_status tci_group_control(tc_ep *ep, tci_control control,
                                          const uint8_t *payload, size_t size, tc_error *err);

/* Counts and keeps a report about a message that no call waits for. */
void tci_group_note_failure(tc_group *group, tc_status status, const uint8_t *text,
                            size_t size);

/* Tries again to connect by a stream that found nobody. */
void tci_group_retry(tc_ep *ep, uint64_t now_ns);

#endif
