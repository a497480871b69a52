/* From the bitcode of one target to its native image: an ELF object, which lld links to a shared
 * object laid out as an image is. */
#ifndef TCI_IMAGE_MAKE_H
#define TCI_IMAGE_MAKE_H

#include "ifunc_module.h"

/* Compiles, links and packs code->bytes into an image slice of the same triple, CPU level and
 * entries. TC_E_UNSUPPORTED: an image cannot say what the code needs. TC_E_COMPILE,
 * TC_E_NOT_FOUND (no lld), TC_E_TOO_LARGE, TC_E_NO_MEMORY; each with the name and the triple in
 * the text. The result is for tci_ifunc_code_fini. */
TC_MUST_CHECK tc_status tci_image_make(const tci_ifunc_code *code, const char *name,
                                       char opt_level, tci_ifunc_code *image_out,
                                       tc_error *err);

/* The program that would be run: environment variable TC_LLD, or the one found when this was
 * built. */
const char *tci_image_make_linker(void);

#endif
