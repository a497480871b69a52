#include "tool_version.h"

#include "tool_status.h"

#include <stdio.h>
#include <string.h>
#include <tc/version.h>

int tool_version_print(const char *name)
{
    int size = (int)strcspn(name, " ");
    int n = printf("%.*s " TC_VERSION_STRING "\nLLVM " TOOL_LLVM_VERSION
                   "\nUCX " TOOL_UCX_VERSION "\n",
                   size, name);
    return n > 0 && fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
}
