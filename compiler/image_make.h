/* Makes the native image of one target from its bitcode: an ELF object, which lld links to a
 * shared object laid out as an image is. */
#ifndef TCI_IMAGE_MAKE_H
#define TCI_IMAGE_MAKE_H

#include "ifunc_module.h"

/* Compiles, links and packs code->bytes into an image slice of the same triple, CPU level and
 * entries. TC_E_UNSUPPORTED: the code needs something that an image cannot express.
 * TC_E_COMPILE, TC_E_NOT_FOUND (no lld), TC_E_TOO_LARGE, TC_E_NO_MEMORY; each with the name and
 * the triple in the text. The result is for tci_ifunc_code_fini. */
TC_MUST_CHECK tc_status tci_image_make(const tci_ifunc_code *code, const char *name,
                                       char opt_level, tci_ifunc_code *image_out,
                                       tc_error *err);

/* Returns the lld program: environment variable TC_LLD, or the one found when this was
 * built. */
const char *tci_image_make_linker(void);

#endif
