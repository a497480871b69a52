/* --check-abi: checks that the types which a user names have the same memory layout on all
 * targets. */
#ifndef TCI_LAYOUT_CHECK_H
#define TCI_LAYOUT_CHECK_H

#include "command_line.h"

#include <stdio.h>

/* Compiles each source for each target and compares. Differences and possible differences are
 * in `findings`, by file and line. TC_E_UNSUPPORTED: something differs. TC_E_NOT_FOUND: no
 * source defines one of the types. TC_E_COMPILE, TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_layout_check(const tci_command *command, tci_text_list *findings,
                                         tc_error *err);

/* Prints the commands that it would run. */
void tci_layout_check_show(const tci_command *command, FILE *stream);

#endif
