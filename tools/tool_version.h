/* --version, the same of every program. */
#ifndef TOOL_VERSION_H
#define TOOL_VERSION_H

/* The program, and the LLVM and UCX that it was built with, a line each. A command's name
 * ("tc-ar list") is its program's. Returns the exit status. */
int tool_version_print(const char *name);

#endif
