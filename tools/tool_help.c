#include "tool_help.h"

#include "tool_status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_MIN 40u
#define COLUMNS_MAX 100u
#define LEFT_MAX 27u /* a longer option has its explanation on the next line */

static const tool_option common[] = {
    {.name = "help", .letter = 'h', .help = "this text"},
    {.name = "version", .letter = 'V', .help = "the program's, LLVM's and UCX's"},
};

unsigned tool_help_terminal(void)
{
    struct winsize size;
    const char *text = getenv("COLUMNS");
    unsigned long columns = text != NULL ? strtoul(text, NULL, 10) : 0;
    if (columns == 0 && isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (columns == 0 || columns > COLUMNS_MAX)
        return columns == 0 ? 0 : COLUMNS_MAX;
    return columns < COLUMNS_MIN ? COLUMNS_MIN : (unsigned)columns;
}

unsigned tool_help_columns(void)
{
    unsigned columns = tool_help_terminal();
    return columns != 0 ? columns : COLUMNS_MAX;
}

static void start_line(FILE *out, unsigned indent)
{
    fprintf(out, "\n%*s", (int)indent, "");
}

unsigned tool_help_wrap(FILE *out, const char *text, unsigned column, unsigned indent)
{
    const unsigned columns = tool_help_columns();
    bool first = true;
    while (*text != '\0') {
        unsigned size = (unsigned)strcspn(text, " \n");
        if (!first && column + 1 + size > columns) {
            start_line(out, indent);
            column = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)size, text);
        column += size + (first ? 0 : 1);
        first = false;
        text += size;
        if (*text == '\n') {
            start_line(out, indent);
            column = indent;
            first = true;
        }
        text += *text != '\0';
    }
    return column;
}

void tool_help_paragraph(FILE *out, const char *text, unsigned indent)
{
    fprintf(out, "%*s", (int)indent, "");
    if (tool_help_terminal() != 0)
        (void)tool_help_wrap(out, text, indent, indent);
    else
        fputs(text, out);
    fputc('\n', out);
}

void tool_help_entry(FILE *out, const char *left, unsigned column, const char *text)
{
    unsigned at = (unsigned)fprintf(out, "  %s", left);
    if (column + 24 > tool_help_columns())
        column = 6; /* narrow terminal: the text goes below */
    if (at + 2 > column) {
        start_line(out, column);
        at = column;
    }
    fprintf(out, "%*s", (int)(column - at), "");
    (void)tool_help_wrap(out, text, column, column);
    fputc('\n', out);
}

/* Returns the column of a line's explanation, which follows at least two blanks; else its
 * indentation. */
static unsigned hanging_indent(const char *line, size_t size)
{
    size_t begin = strspn(line, " ");
    for (size_t i = begin; begin > 0 && i + 2 < size; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ')
            return (unsigned)i + 2;
    }
    return (unsigned)begin;
}

static void print_line(FILE *out, const char *line, size_t size)
{
    char words[512];
    unsigned indent = hanging_indent(line, size);
    size_t begin = strspn(line, " ");
    if (size <= tool_help_columns() || size >= sizeof words) {
        fprintf(out, "%.*s\n", (int)size, line);
        return;
    }
    if (indent + 24 > tool_help_columns())
        indent = 6;
    size_t at = begin + 1;
    memcpy(words, line, size);
    for (size_t i = at; i < size; i++) { /* removes the blanks that aligned the columns */
        if (line[i] != ' ' || words[at - 1] != ' ')
            words[at++] = line[i];
    }
    words[at] = '\0';
    fprintf(out, "%*s", (int)begin, "");
    (void)tool_help_wrap(out, words + begin, (unsigned)begin, indent);
    fputc('\n', out);
}

void tool_help_text(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");
        print_line(out, text, size);
        text += size + (text[size] == '\n');
    }
}

void tool_help_usage(const tool_command *command, FILE *out)
{
    const char *lead = "usage: ", *text = command->usage;
    const unsigned column = (unsigned)(strlen(lead) + strlen(command->name) + 1);
    while (*text != '\0') {
        char line[256];
        size_t size = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)size, text);
        fprintf(out, "%-7s%s ", lead, command->name);
        (void)tool_help_wrap(out, line, column, 11);
        fputc('\n', out);
        lead = "";
        text += size + (text[size] == '\n');
    }
}

static void left_of(const tool_option *row, char *left, size_t size)
{
    char letter[8] = "    ";
    if (row->letter != '\0')
        (void)snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *value = row->value != NULL ? row->value : "";
    const char *space = row->value == NULL || *value == '[' ? "" : " ";
    (void)snprintf(left, size, "%s--%s%s%s", letter, row->name, space, value);
}

static void print_rows(const tool_option *rows, size_t count, unsigned column, FILE *out)
{
    char left[80];
    for (size_t i = 0; i < count; i++) {
        if (rows[i].help == NULL)
            continue;
        left_of(&rows[i], left, sizeof left);
        tool_help_entry(out, left, column, rows[i].help);
    }
}

void tool_help_options(const tool_command *command, FILE *out)
{
    char left[80];
    unsigned column = 0;
    for (size_t i = 0; i < command->option_count; i++) {
        left_of(&command->options[i], left, sizeof left);
        unsigned size = (unsigned)strlen(left) + 4;
        if (command->options[i].help != NULL && size > column && size <= LEFT_MAX)
            column = size;
    }
    if (column < 19)
        column = 19; /* --version */
    print_rows(command->options, command->option_count, column, out);
    print_rows(common, sizeof common / sizeof common[0], column, out);
}

static void print_commands(const tool_command *program)
{
    unsigned column = 0;
    for (const tool_command *const *at = program->commands; *at != NULL; at++) {
        unsigned size = (unsigned)(strlen((*at)->name) - strlen(program->name)) + 3;
        column = size > column ? size : column;
    }
    for (const tool_command *const *at = program->commands; *at != NULL; at++) {
        if ((*at)->summary != NULL)
            tool_help_entry(stdout, (*at)->name + strlen(program->name) + 1, column,
                            (*at)->summary);
    }
    tool_help_entry(stdout, "-h, -V", column,
                    "--help, this text; --version, the program's, LLVM's and UCX's");
}

int tool_help_print(const tool_command *command)
{
    tool_help_usage(command, stdout);
    if (command->about != NULL) {
        fputc('\n', stdout);
        tool_help_text(stdout, command->about);
    }
    fputc('\n', stdout);
    if (command->commands != NULL && command->option_count == 0)
        print_commands(command);
    else
        tool_help_options(command, stdout);
    if (command->notes != NULL) {
        fputc('\n', stdout);
        tool_help_text(stdout, command->notes);
    }
    return fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
}
