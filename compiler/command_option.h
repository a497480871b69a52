/* The options of tc-clang, and their effects on the command. */
#ifndef TCI_COMMAND_OPTION_H
#define TCI_COMMAND_OPTION_H

#include "command_line.h"
#include "tool_options.h"

/* Reads the option argv[*at], and its value if that is a word of its own: *at is then the index
 * of that word. TC_E_INVALID. */
TC_MUST_CHECK tc_status tci_command_option_read(tci_command *c, int argc, char **argv, int *at,
                                                tc_error *err);

/* Fills the table for the completion of shells and returns its length. */
size_t tci_command_option_table(tool_option *table, size_t size);

#endif
