/* Compiles an archive's bitcode to an ELF object of machine code. */
#ifndef TCI_IMAGE_OBJECT_H
#define TCI_IMAGE_OBJECT_H

#include "ifunc_module.h"

/* Returns whether machine code is made for a normalised triple, at a TCI_CPU_ level of it. */
bool tci_image_object_knows(const char *triple, unsigned cpu_level);

/* Compiles code->bytes for the CPU of code->cpu_level, as a target would compile it for its
 * own. Calls go through addresses in memory, not through a procedure linkage table: an image
 * binds all names when it is loaded, and is smaller without one. The object is for free().
 * TC_E_COMPILE, TC_E_NO_MEMORY. Where LLVM itself ends the process (code that the CPU has no
 * instructions for), a line on standard error reports it first. */
TC_MUST_CHECK tc_status tci_image_object_make(const tci_ifunc_code *code, char opt_level,
                                              void **bytes_out, size_t *size_out,
                                              tc_error *err);

#endif
