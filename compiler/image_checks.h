/* What bitcode can say and an image cannot, found in the source before images are made. */
#ifndef TCI_IMAGE_CHECKS_H
#define TCI_IMAGE_CHECKS_H

#include "engine/orc/llvm_compat.h"
#include "text_list.h"

/* Adds a line to `findings`, as the ship checks do, for each variable whose alignment no image
 * gives, and each that begins with an address at a place that no relocation reaches. */
void tci_image_checks_run(LLVMModuleRef module, const char *origin, tci_text_list *findings);

#endif
