/* Events of connections and of code, for the option `audit`: docs/audit.md has the format.
 * Nothing is done without it, and never on the path of a message. */
#ifndef TCI_AUDIT_H
#define TCI_AUDIT_H

#include "base/audit_file.h"
#include "core/ep.h"

/* Begins a line with who the endpoint's peer is. False: nobody wants it. */
bool tci_audit_begin(const tc_ep *ep, tci_audit_line *line, const char *event);
void tci_audit_end(const tc_ep *ep, tci_audit_line *line);

void tci_audit_opened(const tc_ep *ep);
/* `error` NULL: in order. One that never opened was refused. Of refusals, which a peer causes as
 * often as it likes, there are so many in a second. */
void tci_audit_closed(const tc_ep *ep, const tc_error *error);
/* A function of the peer's, or code that came with a message. */
void tci_audit_refused(const tc_ep *ep, const tc_error *error);

/* Who was turned away before there was an endpoint for it; `peer` is its address, or "". There are
 * few such lines in a second, which are not taken from those of peers that have proved
 * themselves. */
void tci_audit_stranger(tci_core *core, const char *peer, const tc_error *error);
/* A connection that was handed to another process, which cannot say any more how it ended. */
void tci_audit_ended(tci_core *core, const char *peer, const tc_error *error);

#endif
