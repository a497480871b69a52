/* Events of connections, code and windows, for the option `audit`: docs/audit.md has the
 * format. Nothing is done without it, and never on the path of a message. */
#ifndef TCI_AUDIT_H
#define TCI_AUDIT_H

#include "core/ep.h"
#include "modules/limits/audit_file.h"

typedef struct tci_audit {
    tci_audit_file *file;     /* NULL: no line is wanted */
    tci_log_ration refusals;  /* lines that peers cause */
    tci_log_ration strangers; /* and those that unauthenticated peers cause */
} tci_audit;

/* The endpoint has opened, ended in order (`error` NULL), or failed. One that never opened
 * counts as refused. Lines about refusals are limited per second, because a peer can cause any
 * number of them. */
void tci_audit_state(tci_audit *audit, const tc_ep *ep, const tc_error *error);

/* The peer may call a function from now on, or (`fn` NULL) its code was refused. */
void tci_audit_code(tci_audit *audit, const tc_ep *ep, const tc_ifunc *fn,
                    const tc_error *error);

/* Operations of the peer on windows were refused. */
void tci_audit_window(tci_audit *audit, const tc_ep *ep, const tc_error *error);

/* A connection was refused before it had an endpoint; `peer` is its address, or "". Such lines
 * have a low limit per second of their own, so that they do not use up the limit of peers that
 * have proved their identity. `handed`: one that was handed to another process has ended, and
 * that process can no longer report how. */
void tci_audit_stranger(tci_audit *audit, const tci_core *core, const char *peer,
                        const tc_error *error, bool handed);

#endif
