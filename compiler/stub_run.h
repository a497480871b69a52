/* tc-clang --stubs: runs tc-stubs, which reads a header by libclang. */
#ifndef TCI_STUB_RUN_H
#define TCI_STUB_RUN_H

#include "command_line.h"

#include <stdio.h>

/* Writes the stubs of the command's only source to its folder. TC_E_NOT_FOUND: there is no
 * tc-stubs; the text names the package that a build of it needs. TC_E_COMPILE: the header was
 * refused; the reasons are on standard error. Else as tci_child_run. */
TC_MUST_CHECK tc_status tci_stub_run(const tci_command *command, tc_error *err);

/* Prints the command instead. */
void tci_stub_run_show(const tci_command *command, FILE *stream);

#endif
