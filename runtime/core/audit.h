/* Events of connections and of code, for the option `audit`: docs/audit.md has the format.
 * Nothing is done without it, and never on the path of a message. */
#ifndef TCI_AUDIT_H
#define TCI_AUDIT_H

#include "base/audit_file.h"
#include "core/ep.h"

/* Begins a line with the endpoint's connection id and the peer's identity and address. Returns
 * false if no line is wanted. */
bool tci_audit_begin(const tc_ep *ep, tci_audit_line *line, const char *event);
void tci_audit_end(const tc_ep *ep, tci_audit_line *line);

void tci_audit_opened(const tc_ep *ep);
/* `error` is NULL for an orderly end. An endpoint that never opened counts as refused. Lines
 * about refusals are limited per second, because a peer can cause any number of them. */
void tci_audit_closed(const tc_ep *ep, const tc_error *error);
/* A function of the peer, or code that came with a message, was refused. */
void tci_audit_refused(const tc_ep *ep, const tc_error *error);

/* A connection was refused before it had an endpoint; `peer` is its address, or "". Such lines
 * have a low limit per second of their own, so that they do not use up the limit of peers that
 * have proved their identity. */
void tci_audit_stranger(tci_core *core, const char *peer, const tc_error *error);
/* A connection that was handed to another process has ended, and that process can no longer
 * report how. */
void tci_audit_ended(tci_core *core, const char *peer, const tc_error *error);

#endif
