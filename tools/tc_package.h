/* The commands of tc-package. Each takes its own arguments, prints its errors and --help, and
 * returns the exit status. */
#ifndef TC_PACKAGE_TOOL_H
#define TC_PACKAGE_TOOL_H

#include "package_format.h"
#include "tool_options.h"

extern const tool_command package_build_command;
extern const tool_command package_list_command;
int package_build(int argc, char **argv);
int package_list(int argc, char **argv);

/* Prints "tc-package: TEXT" on stderr. Returns TOOL_FAILED. */
int package_report(const tc_error *err);

/* Prints the contents of a package: lines, which mark unreadable archives, or one JSON
 * object. */
void package_list_print(const char *path, const tci_package *package, size_t size, bool json);

#endif
