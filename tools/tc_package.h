/* The commands of tc-package. Each takes its own arguments, prints its errors and --help, and returns
 * the exit status. */
#ifndef TC_PACKAGE_TOOL_H
#define TC_PACKAGE_TOOL_H

#include "package_format.h"
#include "tool_options.h"

extern const tool_command package_build_command;
extern const tool_command package_list_command;
int package_build(int argc, char **argv);
int package_list(int argc, char **argv);

/* "tc-package: TEXT" on stderr; returns TOOL_FAILED. */
int package_report(const tc_error *err);

/* What is in a package: lines, or one JSON object. Archives that cannot be read are said to be so. */
void package_list_print(const char *path, const tci_package *package, size_t size, bool json);

#endif
