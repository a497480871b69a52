/* The files that an archive is made from, headers included, as rules for make and ninja (-MD,
 * -MMD): clang writes a rule in each of its runs, of each source for each target; all rules go
 * into one file. */
#ifndef TCI_HEADER_DEPS_H
#define TCI_HEADER_DEPS_H

#include "command_line.h"
#include "text_list.h"

#include <tc/status.h>

/* For one run of clang: opens a file without a name, and adds words that make clang, which
 * inherits the descriptor, write its rule there; -1, and no words, when the command asks for no
 * rules. TC_E_IO. */
TC_MUST_CHECK tc_status tci_header_deps_begin(const tci_command *command, tci_text_list *words,
                                              int *fd_out, tc_error *err);
/* After the run: adds the rule, unless it is in the list already, and closes the file. */
TC_MUST_CHECK tc_status tci_header_deps_end(int fd, tci_text_list *rules, tc_error *err);

/* Writes the file of -MF, by default the output's name with .d for .tca, if the command asks
 * for one. TC_E_IO, TC_E_NO_MEMORY, TC_E_INVALID (a path too long). */
TC_MUST_CHECK tc_status tci_header_deps_write(const tci_command *command,
                                              const tci_text_list *rules, tc_error *err);

#endif
