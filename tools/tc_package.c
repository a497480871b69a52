/* tc-package: makes packages of functions, and lists their contents. */
#include "tc_package.h"

#include "tool_status.h"

#include <getopt.h>
#include <stdio.h>

static const tool_command *const commands[] = {
    &package_build_command,
    &package_list_command,
    NULL,
};

static int (*const runs[])(int argc, char **argv) = {package_build, package_list};

static const tool_command program = {
    .name = "tc-package",
    .usage = "COMMAND ...\nCOMMAND --help",
    .about = "Makes packages (.tcp) of functions that belong together, and looks into them.\n",
    .commands = commands,
};

int package_report(const tc_error *err)
{
    fprintf(stderr, "tc-package: %s\n", err->text);
    return TOOL_FAILED;
}

int main(int argc, char **argv)
{
    int result = tool_options_parse(&program, argc, argv, NULL);
    if (result == TOOL_GO_ON)
        result = tool_options_run(&program, runs, argc, argv);
    return tool_options_finish(&program, result);
}
