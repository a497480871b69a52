/* Prints a function for bash with one case for each command. */
#include "tool_completion.h"

#include <stdio.h>
#include <string.h>

/* Prints the words of the table, with blanks instead of commas. */
static void print_words(const char *words)
{
    for (; *words != '\0'; words++)
        putchar(*words == ',' ? ' ' : *words);
}

/* A value that is neither a file nor one of some words has no completions. */
static void print_value(const tool_option *row)
{
    tool_spelling s = tool_completion_spelling(row);
    size_t size = strlen(s.text);
    if (s.text[size - 1] == '=') /* the shell takes '=' for a word of its own */
        s.text[size - 1] = '\0';
    printf("        %s%s%s) ", s.text, s.letter[0] != '\0' ? " | " : "", s.letter);
    if (row->words != NULL) {
        printf("words='");
        print_words(row->words);
        printf("'%s ;;\n", row->kind != TOOL_CHOICE ? " list=${cur%\"${cur##*,}\"}" : "");
    } else if (tool_completion_is_file(row->value)) {
        printf("return 0 ;;\n");
    } else {
        printf("words=' ' ;;\n");
    }
}

static void print_options(const tool_command *command)
{
    printf("        -*) words='");
    for (size_t i = 0; i < command->option_count; i++) {
        if (command->options[i].help != NULL)
            printf("%s ", tool_completion_spelling(&command->options[i]).text);
    }
    for (const char *const *at = tool_completion_common; *at != NULL; at++)
        printf("%s%s", *at, at[1] != NULL ? " " : "");
    puts("' ;;");
}

/* After the program that a program starts, all words belong to the started one. */
static void print_program(const tool_command *command)
{
    puts("        *)\n"
         "            local begin=1");
    if (command->part_separator != NULL)
        printf("            for ((i = 1; i < COMP_CWORD; i++)); do\n"
               "                [[ ${COMP_WORDS[i]} != %s ]] || begin=$((i + 1))\n"
               "            done\n",
               command->part_separator);
    puts("            for ((i = begin; i < COMP_CWORD; i++)); do\n"
         "                case ${COMP_WORDS[i]} in");
    for (size_t i = 0; i < command->option_count; i++) {
        const tool_option *row = &command->options[i];
        tool_spelling s = tool_completion_spelling(row);
        if (row->value != NULL)
            printf("                %s%s%s) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); "
                   "((i++)) ;;\n",
                   s.text, s.letter[0] != '\0' ? " | " : "", s.letter);
    }
    puts("                -*) ;;\n"
         "                *) return 0 ;;\n"
         "                esac\n"
         "            done\n"
         "            mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")\n"
         "            return 0 ;;");
}

static void print_rest(const tool_command *command)
{
    if (command->rest_is_program) {
        print_program(command);
        return;
    }
    printf("        *) ");
    if (command->commands != NULL) {
        printf("words='");
        for (const tool_command *const *at = command->commands; *at != NULL; at++)
            printf("%s%s", at > command->commands ? " " : "", tool_completion_command(*at));
        printf("' ;;\n");
    } else if (command->rest_word != NULL) {
        printf("words='");
        for (size_t i = 0; command->rest_word(i) != NULL; i++)
            printf("%s%s", i > 0 ? " " : "", command->rest_word(i));
        printf("' ;;\n");
    } else {
        puts(command->rest_max > 0 ? "return 0 ;;" : "words=' ' ;;");
    }
}

static void print_command(const tool_command *command)
{
    const char *name = tool_completion_command(command);
    printf("    %s)\n        case $prev in\n", *name != '\0' ? name : "''");
    for (size_t i = 0; i < command->option_count; i++) {
        const tool_option *row = &command->options[i];
        if (row->help != NULL && row->value != NULL && row->value[0] != '[')
            print_value(row);
    }
    puts("        *)\n        case $cur in");
    print_options(command);
    print_rest(command);
    puts("        esac ;;\n        esac ;;");
}

void tool_completion_bash(const tool_command *program)
{
    const tool_command *const *commands = program->commands;
    printf(
        "# Completion of %s for bash, made from its table of options: %s --completion bash\n",
        program->name, program->name);
    printf("_%.2s_%s()\n{\n", program->name, program->name + 3);
    puts("    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    local command='' words='' list='' i\n"
         "    COMPREPLY=()\n"
         "    if [[ $cur == = ]]; then cur=''\n"
         "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    fi");
    if (commands != NULL)
        puts("    ((COMP_CWORD < 2)) || command=${COMP_WORDS[1]}");
    puts("    case $command in");
    print_command(program);
    for (; commands != NULL && *commands != NULL; commands++)
        print_command(*commands);
    puts("    esac\n"
         "    [[ -n $words ]] || return 0 # files, as the shell completes them\n"
         "    compopt +o default 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$words\" -- "
         "\"${cur#\"$list\"}\")\n"
         "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace "
         "2>/dev/null\n"
         "    return 0\n}");
    printf("complete -o default -F _%.2s_%s %s\n", program->name, program->name + 3,
           program->name);
}
