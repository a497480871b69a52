/* The alignment that a function asks of its payloads: the constant that TC_PAYLOAD_ALIGN
 * (<tc/entry.h>) defines beside its code. The archive has it in its index, so the constant itself
 * does not travel. */
#ifndef TCI_PAYLOAD_ALIGNMENT_H
#define TCI_PAYLOAD_ALIGNMENT_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Bytes; the least where the function asks for nothing. What is no constant, and no alignment that
 * payloads can have, is a line in `findings`, as the ship checks have them. */
unsigned tci_payload_alignment_of(LLVMModuleRef module, const char *name, const char *origin,
                                  tci_text_list *findings);

#endif
