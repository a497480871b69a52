/* Prints a script for zsh, with one specification for _arguments per option. */
#include "tool_completion.h"

#include <stdio.h>
#include <string.h>

/* Prints text inside quotes, and escapes characters with a meaning, such as brackets and
 * colons. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\`$", *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_words(const char *words)
{
    for (; *words != '\0'; words++)
        putchar(*words == ',' ? ' ' : *words);
}

static void print_value(const tool_option *row)
{
    fputs(row->value[0] == '[' ? "::" : ":", stdout);
    print_text(row->value);
    putchar(':');
    if (row->words != NULL && row->kind != TOOL_CHOICE) {
        fputs("_values -s , value ", stdout);
        print_words(row->words);
    } else if (row->words != NULL) {
        putchar('(');
        print_words(row->words);
        putchar(')');
    } else if (tool_completion_is_file(row->value)) {
        fputs("_files", stdout);
    } else {
        putchar(' ');
    }
}

/* A value follows a long option as the next word or joined by '=', and a letter as the next
 * word or joined. */
static void print_option(const tool_option *row)
{
    tool_spelling s = tool_completion_spelling(row);
    const char *joint = row->name[0] == '-' || row->value == NULL ? ""
                        : row->value[0] == '['                    ? "=-"
                                                                  : "=";
    if (s.letter[0] != '\0')
        printf("        '(%s %s)'{%s%s,%s%s}'[", s.letter, s.text, s.letter,
               row->value != NULL ? "+" : "", s.text, joint);
    else
        printf("        '%s%s%s%s[", row->kind == TOOL_OTHER && row->words == NULL ? "*" : "",
               s.text, joint, s.text[strlen(s.text) - 1] == '=' ? "-" : "");
    print_text(row->help);
    putchar(']');
    if (row->value != NULL)
        print_value(row);
    puts("' \\");
}

static void print_rest(const tool_command *command)
{
    if (command->rest_is_program) {
        puts("        '(-):program:_command_names -e' '*::argument:_normal'");
    } else if (command->rest_word != NULL) {
        printf("        '*:word:(");
        for (size_t i = 0; command->rest_word(i) != NULL; i++)
            printf("%s%s", i > 0 ? " " : "", command->rest_word(i));
        puts(")'");
    } else {
        puts(command->rest_max > 0 ? "        '*:file:_files'" : "        ':nothing: '");
    }
}

static void print_command(const tool_command *command)
{
    puts("    _arguments \\");
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].help != NULL)
            print_option(&command->options[i]);
    }
    puts("        '(-h --help)'{-h,--help}'[explain]' \\\n"
         "        '(-V --version)'{-V,--version}'[print versions]' \\");
    print_rest(command);
}

static void print_commands(const tool_command *const *commands)
{
    puts("local -a names\nnames=(");
    for (const tool_command *const *at = commands; *at != NULL; at++) {
        printf("    '%s:", tool_completion_command(*at));
        print_text((*at)->summary != NULL ? (*at)->summary : "");
        puts("'");
    }
    puts(")\nif (( CURRENT > 2 )); then\n    shift words\n    (( CURRENT-- ))\nelse\n"
         "    _describe command names\nfi\ncase $words[1] in");
    for (const tool_command *const *at = commands; *at != NULL; at++) {
        printf("%s)\n", tool_completion_command(*at));
        print_command(*at);
        puts("    ;;");
    }
    puts("*)");
}

void tool_completion_zsh(const tool_command *program)
{
    const tool_command *const *commands = program->commands;
    printf("#compdef %s\n# Made from its table of options: %s --completion zsh\n",
           program->name, program->name);
    if (commands != NULL)
        print_commands(commands);
    if (program->part_separator != NULL)
        printf("local -i begin=0 at\n"
               "for (( at = 2; at < CURRENT; at++ )); do\n"
               "    [[ $words[at] != %s ]] || begin=at\n"
               "done\n"
               "if (( begin > 0 )); then\n"
               "    words=($words[1] \"${(@)words[begin+1,-1]}\")\n"
               "    (( CURRENT -= begin - 1 ))\nfi\n",
               program->part_separator);
    print_command(program);
    if (commands != NULL)
        puts("    ;;\nesac");
}
