/* A function's requirements for its payloads, and its prototype: the constants that
 * TC_PAYLOAD_ALIGN, TC_PAYLOAD_READONLY and TC_PROTOTYPE (<tc/entry.h>), and TC_AM_FUNCTION
 * (<tc/am_entry.h>) define beside its code.
 * The archive has them in its index, so the constants themselves do not travel. */
#ifndef TCI_PAYLOAD_REQUEST_H
#define TCI_PAYLOAD_REQUEST_H

#include "engine/orc/llvm_compat.h"
#include "prototype.h"
#include "text_list.h"

#include <stdbool.h>

typedef struct tci_payload_request {
    unsigned alignment; /* bytes; the smallest if the function requests none */
    bool readonly;
    bool unit; /* of an active message */
    char prototype[TCI_PROTOTYPE_MAX]; /* "": none */
} tci_payload_request;

/* Reads the requirements. A value that is no constant, or no alignment that payloads can have,
 * is a line in `findings`, in the format of the ship checks. */
tci_payload_request tci_payload_request_of(LLVMModuleRef module, const char *name,
                                           const char *origin, tci_text_list *findings);

#endif
