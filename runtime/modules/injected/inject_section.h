/* The code of messages that bring it along. */
#ifndef TCI_INJECT_SECTION_H
#define TCI_INJECT_SECTION_H

#include "transfer/outgoing.h"

/* Sets out->injected to the section that an INJECT frame carries behind its payload, made once
 * per function and architecture and owned by the function: the image for the target of that
 * number (archive_layout.h) that runs on every CPU of that target. Sets out->flags to the
 * frame's. TC_E_NO_SLICE: the function has no such image. TC_E_UNSUPPORTED: it may throw, has
 * constructors, destructors or holes, or asks for read-only payloads. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_inject_section(unsigned target, tci_outgoing *out, tc_error *err);

#endif
