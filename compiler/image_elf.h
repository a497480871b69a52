/* Reads the parts of an image from a shared object that image_link made. */
#ifndef TCI_IMAGE_ELF_H
#define TCI_IMAGE_ELF_H

#include "image.h"
#include "image_imports.h"

/* Views of the object's bytes, which must outlive it, and lists of its own. */
typedef struct tci_image_elf {
    tci_image_source source;
    tci_image_imports imports;
    uint32_t constants_bytes; /* of constants in the code segment */
    tci_image_hole holes[TCI_HOLES_MAX];
    tci_text_list hole_names;
} tci_image_elf;

/* `entries` are the TCI_ENTRY_ bits of the entries that NAME defines. TC_E_UNSUPPORTED: the
 * object needs something that an image cannot express; the text names it. TC_E_CORRUPT: not in
 * the form that lld writes. TC_E_NO_MEMORY. On success the result is for tci_image_elf_fini. */
TC_MUST_CHECK tc_status tci_image_elf_read(void *bytes, size_t size, const char *name,
                                           unsigned entries, tci_image_elf *elf_out,
                                           tc_error *err);
void tci_image_elf_fini(tci_image_elf *elf);

#endif
