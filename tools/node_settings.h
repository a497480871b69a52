/* The settings of tc-node that come from a file (--config): options of the program, by their
 * long names, and options of the library, which become variables of the environment for this
 * process and those that it starts. Arguments of the command line count more than the file, and
 * so do variables that are set. */
#ifndef NODE_SETTINGS_H
#define NODE_SETTINGS_H

#include "tool_options.h"

/* Called first. A worker has all settings from its node, and reports nothing. */
void node_settings_begin(const tool_command *program, bool is_worker);

/* Reads the file, and makes arguments of the program's own settings, in front of those of the
 * command line. Sets the library's. The arrays and the texts stay until the process ends.
 * Returns TOOL_GO_ON, or the exit status after printing the reason. */
int node_settings_read(const char *path, int *argc, char ***argv);

/* Reads the file again, and uses its log level. Reports which other settings have changed since
 * node_settings_read, and a file that is wrong, of which nothing is used. */
void node_settings_read_again(const char *path);

#endif
