/* The loop of a process of the matrix: one operation towards one peer, or towards the other
 * members of its group. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <tc/group.h>

#define SESSION_PEERS_MAX 8u

typedef struct session {
    tc_context *ctx;
    const char *peer;     /* host:port, or the digits of an address; NULL: a group */
    unsigned members;     /* of a group: those to talk to, from rank 0 on; 0: all */
    uint64_t patience_ns; /* of each blocking call */
    tc_ifunc *travel;
    tc_group *group;
    tc_ep *eps[SESSION_PEERS_MAX];
    unsigned ep_count;
    uint64_t round;
} session;

typedef struct session_op {
    const char *name;
    bool connects; /* it makes its endpoints itself */
    tc_status (*run)(session *s, tc_error *err);
} session_op;

/* NULL: there is no operation of that name. */
const session_op *session_find_op(const char *name);

/* Opens the function that most operations send, and the endpoints. */
tc_status session_open(session *s, tc_error *err);
void session_close(session *s);

/* A call that is answered with its own bytes; TC_E_CORRUPT: with others. */
tc_status session_echo(session *s, tc_ep *ep, tc_ifunc *fn, size_t size, tc_error *err);

#endif
