/* tc-package: makes packages of functions, and looks into them. */
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

static int run_command(int argc, char **argv)
{
    const tool_command *command = tool_options_command(&program, argv[optind]);
    size_t i = 0;
    if (command == NULL)
        return TOOL_USAGE;
    while (commands[i] != command)
        i++;
    return runs[i](argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
    int result = tool_options_parse(&program, argc, argv, NULL);
    if (result == TOOL_GO_ON)
        result = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("tc-package: cannot write to stdout\n", stderr);
        return TOOL_FAILED;
    }
    return result;
}
