/* Splits the command line at ':' and parses each part by one table of options. */
#include "run_arguments.h"

#include "base/printable.h"
#include "tool_options.h"
#include "tool_status.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SEPARATOR ":"

/* The options of one part. Those of the job are in the first part alone. */
typedef struct options_of_part {
    uint64_t count;
    const char *name;
    uint64_t timeout_s;
    bool label;
    bool keep_going;
    const char *json;
} options_of_part;

#define AT(member) offsetof(options_of_part, member)

static const tool_option options[] = {
    {.name = "processes",
     .letter = 'n',
     .kind = TOOL_NUMBER,
     .value = "N",
     .offset = AT(count),
     .min = 1,
     .max = TCI_RUN_SIZE_MAX,
     .help = "how many, 1 to 1024; of each part"},
    {.name = "name",
     .kind = TOOL_TEXT,
     .value = "NAME",
     .offset = AT(name),
     .help = "of the part, for the members; default: PROGRAM without its folder"},
    {.name = "label",
     .letter = 'l',
     .offset = AT(label),
     .help = "print the rank before each line of their output"},
    {.name = "keep-going",
     .letter = 'k',
     .offset = AT(keep_going),
     .help = "when a process fails, leave the others; without it they are ended"},
    {.name = "timeout",
     .kind = TOOL_NUMBER,
     .value = "S",
     .offset = AT(timeout_s),
     .min = 1,
     .max = 1000000,
     .help = "end them all after S seconds"},
    {.name = "json",
     .letter = 'j',
     .kind = TOOL_TEXT,
     .value = "FILE",
     .offset = AT(json),
     .help = "write there how each process ended; '-': standard output"},
};

static const tool_command tc_run = {
    .name = "tc-run",
    .usage = "-n N [options] PROGRAM [ARGUMENT...] [: -n N [--name NAME] PROGRAM "
             "[ARGUMENT...]]...",
    .about =
        "Starts PROGRAM N times on this machine. tc_group_join then makes one group of them, "
        "with ranks 0\nto N - 1. After ':' another part of the job follows, with the next "
        "ranks; "
        "options but -n and --name\nconcern the whole job and come before the first program. "
        "'\\:' gives a program the argument ':'.\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .notes =
        "Rank 0 reads tc-run's standard input, unless that is a terminal; the others read "
        "nothing.\n"
        "Each process has TC_RUN_RANK and TC_RUN_SIZE in its environment, and in a job of "
        "parts "
        "TC_RUN_PROGRAM\nand TC_RUN_PROGRAM_NAME. SIGINT, SIGTERM and SIGHUP are passed on. "
        "Whatever happens to tc-run, they\nend with it.\n"
        "Exit status: 0 when all processes ended with 0; else that of the first that failed, "
        "or 128 and\nthe signal that ended it; 124 after --timeout; 126 or 127 when a PROGRAM "
        "cannot be started; 2 for\nwrong arguments.\n",
    .rest_max = INT_MAX,
    .rest_is_program = true,
    .part_separator = SEPARATOR,
};

/* "part 2: ", or empty in a job of one part. */
typedef struct part_text {
    char text[16];
} part_text;

static part_text prefix_of(const run_arguments *args, uint32_t part)
{
    part_text prefix = {.text = ""};
    if (args->part_count > 1)
        (void)snprintf(prefix.text, sizeof prefix.text, "part %u: ", part + 1);
    return prefix;
}

/* Returns an option of the job that is set, or NULL. */
static const char *job_option(const options_of_part *given)
{
    if (given->label)
        return "--label";
    if (given->keep_going)
        return "--keep-going";
    if (given->timeout_s > 0)
        return "--timeout";
    return given->json != NULL ? "--json" : NULL;
}

/* --- names -------------------------------------------------------------------------------- */

static int take_name(run_arguments *args, uint32_t index, const char *given)
{
    run_part *part = &args->parts[index];
    const char *slash = strrchr(part->command[0], '/');
    const char *name = given != NULL ? given : slash != NULL ? slash + 1 : part->command[0];
    char shown[4 * TCI_RUN_NAME_MAX + 4];
    if (args->part_count == 1 && given == NULL)
        return TOOL_GO_ON;
    part->name = name;
    if (tci_run_name_is_sound(name, strlen(name)))
        return TOOL_GO_ON;
    (void)snprintf(shown, sizeof shown, "%.*s", (int)TCI_RUN_NAME_MAX + 1, name);
    tci_printable_text(shown, sizeof shown);
    return tool_options_misused(&tc_run,
                                "%sthe name '%s' has %zu bytes, expected 1 to %u characters of "
                                "printable ASCII; --name gives one",
                                prefix_of(args, index).text, shown, strlen(name),
                                TCI_RUN_NAME_MAX);
}

/* --- parts -------------------------------------------------------------------------------- */

/* A program gets ':' by '\:', '\:' by '\\:', and so on. */
static void remove_escapes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t n = strspn(argv[i], "\\");
        if (n > 0 && strcmp(argv[i] + n, SEPARATOR) == 0)
            argv[i]++;
    }
}

static int take_part(run_arguments *args, uint32_t index, const options_of_part *given,
                     char **command)
{
    const part_text prefix = prefix_of(args, index);
    if (index > 0 && job_option(given) != NULL)
        return tool_options_misused(&tc_run,
                                    "%s%s concerns the whole job, expected it before the "
                                    "first program",
                                    prefix.text, job_option(given));
    if (given->count == 0)
        return tool_options_misused(&tc_run, "%s-n is missing", prefix.text);
    if (*command == NULL || **command == '\0')
        return tool_options_misused(&tc_run, "%sthe program is missing", prefix.text);
    if (args->size + given->count > TCI_RUN_SIZE_MAX)
        return tool_options_misused(
            &tc_run, "the parts have %u processes up to part %u, expected at most %u",
            args->size + (unsigned)given->count, index + 1, TCI_RUN_SIZE_MAX);
    args->parts[index] =
        (run_part){.first = args->size, .count = (uint32_t)given->count, .command = command};
    args->size += (uint32_t)given->count;
    return take_name(args, index, given->name);
}

/* `argv[0]` is no argument, and NULL follows the last. */
static int parse_part(run_arguments *args, uint32_t index, int argc, char **argv)
{
    options_of_part given = {.count = 0};
    if (argc == 1 && args->part_count > 1)
        return tool_options_misused(&tc_run, "%sit is empty, expected -n N PROGRAM %s ':'",
                                    prefix_of(args, index).text,
                                    index + 1 < args->part_count ? "before" : "after");
    int result = tool_options_parse(&tc_run, argc, argv, &given);
    if (result != TOOL_GO_ON)
        return result;
    result = take_part(args, index, &given, argv + optind);
    if (index == 0) {
        args->timeout_s = given.timeout_s;
        args->label = given.label;
        args->keep_going = given.keep_going;
        args->json = given.json;
    }
    return result;
}

static uint32_t count_parts(int argc, char **argv)
{
    uint32_t count = 1;
    for (int i = 1; i < argc; i++)
        count += strcmp(argv[i], SEPARATOR) == 0;
    return count;
}

/* Each separator becomes the NULL that ends a part; the next part takes it for its argv[0]. */
int run_arguments_parse(int argc, char **argv, run_arguments *args_out)
{
    *args_out = (run_arguments){.part_count = count_parts(argc, argv)};
    if (args_out->part_count > TCI_RUN_PROGRAM_MAX)
        return tool_options_misused(&tc_run, "%u parts, expected at most %u",
                                    args_out->part_count, TCI_RUN_PROGRAM_MAX);
    int begin = 0;
    for (uint32_t index = 0; index < args_out->part_count; index++) {
        int end = begin + 1;
        while (end < argc && strcmp(argv[end], SEPARATOR) != 0)
            end++;
        argv[end] = NULL;
        remove_escapes(end - begin, argv + begin);
        int result = parse_part(args_out, index, end - begin, argv + begin);
        if (result != TOOL_GO_ON)
            return result;
        begin = end;
    }
    return TOOL_GO_ON;
}

uint32_t run_arguments_part_of(const run_arguments *args, uint32_t rank)
{
    uint32_t part = 0;
    while (part + 1 < args->part_count && args->parts[part + 1].first <= rank)
        part++;
    return part;
}
