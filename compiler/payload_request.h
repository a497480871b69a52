/* What a function asks of its payloads: the constants that TC_PAYLOAD_ALIGN and TC_PAYLOAD_READONLY
 * (<tc/entry.h>) define beside its code. The archive has it in its index, so the constants
 * themselves do not travel. */
#ifndef TCI_PAYLOAD_REQUEST_H
#define TCI_PAYLOAD_REQUEST_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

#include <stdbool.h>

typedef struct tci_payload_request {
    unsigned alignment; /* bytes; the least where the function asks for nothing */
    bool readonly;
} tci_payload_request;

/* What is no constant, and no alignment that payloads can have, is a line in `findings`, as the
 * ship checks have them. */
tci_payload_request tci_payload_request_of(LLVMModuleRef module, const char *name,
                                           const char *origin, tci_text_list *findings);

#endif
