/* --version, the same for every program. */
#ifndef TOOL_VERSION_H
#define TOOL_VERSION_H

/* Prints the program, and the LLVM and UCX that it was built with, a line each. For a command
 * ("tc-ar list") the program's name is printed. Returns the exit status. */
int tool_version_print(const char *name);

#endif
