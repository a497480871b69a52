/* Converts the dynamic relocations of a shared object to those of an image, with the names that
 * they refer to. */
#ifndef TCI_IMAGE_IMPORTS_H
#define TCI_IMAGE_IMPORTS_H

#include "image.h"
#include "text_list.h"

#include <gelf.h>

typedef struct tci_image_imports {
    tci_text_list symbols; /* required at the target; in byte order */
    tci_text_list weak;    /* optional at the target; in byte order */
    tci_relocation *relocations;
    size_t count;
} tci_image_imports;

/* Reads every relocation section that a dynamic loader would apply. TC_E_UNSUPPORTED: a type
 * that an image cannot express, or an address that is not aligned. TC_E_TOO_LARGE,
 * TC_E_CORRUPT, TC_E_NO_MEMORY. The result is for tci_image_imports_fini also after a
 * failure. */
TC_MUST_CHECK tc_status tci_image_imports_read(Elf *elf, tci_image_machine machine,
                                               tci_image_imports *imports_out, tc_error *err);
void tci_image_imports_fini(tci_image_imports *imports);

#endif
