/* A group from the inside. Endpoints of a group belong to the core, as accepted ones do: an
 * endpoint that ends is freed, and the member has none until a caller asks for it again. */
#ifndef TCI_GROUPS_H
#define TCI_GROUPS_H

#include "bootstrap/rendezvous.h"
#include "core/ep.h"
#include "modules/calls/group_job.h"
#include "modules/calls/group_program.h"
#include "wire/route.h"

#include <tc/group.h>

#define TCI_GROUPS_MAX 1024u /* of one context */

typedef struct tci_member {
    tc_ep *ep;        /* by which this side sends to it; NULL: not made yet, or ended */
    char *address;    /* host:port with its terminator, or an ADDRESS message */
    size_t size;      /* without the terminator; 0: not known */
    uint64_t arrived; /* barriers that it has reached; rank 0 counts */
    tc_ep *arrived_by;
    tc_error *error; /* why the last endpoint ended, or NULL */
} tci_member;

struct tc_group {
    tci_core *core;
    tc_group *next; /* in the core's list; bound: TCI_GROUPS_MAX */
    uint64_t id;
    uint32_t rank;
    uint32_t size;
    tci_member *members;
    tci_group_programs *programs; /* or NULL: all run program 0, which has no name */
    tc_listener *listener;        /* its own, or NULL */
    tci_group_job *job; /* its key proves members; NULL: the context's credentials do */
    const tci_rendezvous_ops *starter;
    tci_rendezvous *news; /* group_news.h, by the starter's operations; or NULL */
    bool ending;          /* no endpoint is made any more */
    bool is_crossed;      /* this member waits in a barrier */
    uint64_t entered;     /* barriers that this side has reached */
    uint32_t missing;     /* of the others, which have not reached the newest; rank 0 counts */
    uint64_t losses;      /* ends of members' endpoints */
    uint64_t released;    /* barriers that rank 0 has ended */
    uint64_t abandoned;   /* the newest barrier that rank 0 has given up */
    tc_error abandoned_for;
    uint64_t failures;
    tc_error failure; /* the newest */
};

/* Returns a member's "host:port", for texts. */
const char *tci_group_member_text(const tc_group *group, uint32_t rank);

/* The groups of a context. */
typedef struct tci_groups {
    tc_group *first;
    tci_group_job *jobs;
} tci_groups;

/* See tc_group_create; params->members has elements of member_size bytes each. */
TC_MUST_CHECK tc_status tci_group_create(tci_core *core, const tc_group_params *params,
                                         size_t member_size, tc_group **group_out,
                                         tc_error *err);
/* Forgets a group. No endpoint leads to a member of it any more. */
void tci_group_free(tc_group *group);
/* Forgets all groups of a context that ends. */
void tci_groups_free(tci_groups *groups);

tc_group *tci_group_find(tci_core *core, uint64_t id);

/* Returns whether a member's address is an ADDRESS message (else "host:port"). */
bool tci_group_is_address(const void *address, size_t size);

/* Counts and keeps a report about a message that no call waits for. */
void tci_group_note_failure(tc_group *group, tc_status status, const uint8_t *text,
                            size_t size);

#endif
