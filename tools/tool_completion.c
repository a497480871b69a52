#include "tool_completion.h"

#include "tool_status.h"

#include <stdio.h>
#include <string.h>

const char *const tool_completion_common[] = {"--help", "--version", NULL};

tool_spelling tool_completion_spelling(const tool_option *row)
{
    tool_spelling s = {.letter = ""};
    (void)snprintf(s.text, sizeof s.text, "%s%s", row->name[0] == '-' ? "" : "--", row->name);
    if (row->letter != '\0')
        (void)snprintf(s.letter, sizeof s.letter, "-%c", row->letter);
    return s;
}

bool tool_completion_is_file(const char *value)
{
    static const char *const files[] = {"FILE",    "PATH", "KEY",   "OUT",
                                        "LIBRARY", "DIR",  "FOLDER"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strncmp(value, files[i], strlen(files[i])) == 0)
            return true;
    }
    return false;
}

const char *tool_completion_command(const tool_command *command)
{
    const char *space = strchr(command->name, ' ');
    return space != NULL ? space + 1 : "";
}

int tool_completion_print(const tool_command *program, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        tool_completion_bash(program);
    else if (strcmp(shell, "zsh") == 0)
        tool_completion_zsh(program);
    else
        return tool_options_misused(program, "--completion '%s': expected bash or zsh", shell);
    return fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
}
