/* Makes getopt_long's tables from the rows of a command, stores the values, and explains
 * errors. */
#include "tool_options.h"

#include "base/near_name.h"
#include "tool_completion.h"
#include "tool_help.h"
#include "tool_status.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/version.h>

#define ROWS_MAX 48
#define FIRST_ROW 256 /* getopt_long's result for the first row's long option */

/* Rows that every program has, after its own. */
enum { HELP = FIRST_ROW + ROWS_MAX, VERSION, COMPLETION };

typedef struct getopt_tables {
    struct option names[ROWS_MAX + 4];
    char letters[2 * ROWS_MAX + 6];
} getopt_tables;

/* Returns the length of the name without the command: "tc-ar" of "tc-ar list". */
static int program_size(const tool_command *command)
{
    return (int)strcspn(command->name, " ");
}

int tool_options_misused(const tool_command *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%.*s: ", program_size(command), command->name);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    tool_help_usage(command, stderr);
    fprintf(stderr, "%s --help tells more\n", command->name);
    return TOOL_USAGE;
}

/* '+' is for programs with another program's arguments or with commands, and ':' distinguishes
 * a missing value from an unknown option. */
static void make_tables(const tool_command *command, getopt_tables *tables)
{
    static const struct option common[] = {{"help", no_argument, NULL, HELP},
                                           {"version", no_argument, NULL, VERSION},
                                           {"completion", required_argument, NULL, COMPLETION},
                                           {NULL, 0, NULL, 0}};
    char *letter = tables->letters;
    size_t count = command->option_count;
    assert(count <= ROWS_MAX);
    if (command->rest_is_program || command->commands != NULL)
        *letter++ = '+';
    *letter++ = ':';
    for (size_t i = 0; i < count; i++) {
        const tool_option *row = &command->options[i];
        int has_arg = row->value == NULL     ? no_argument
                      : row->value[0] == '[' ? optional_argument
                                             : required_argument;
        tables->names[i] = (struct option){row->name, has_arg, NULL, FIRST_ROW + (int)i};
        if (row->letter == '\0')
            continue;
        *letter++ = row->letter;
        if (has_arg == required_argument)
            *letter++ = ':';
    }
    memcpy(&tables->names[count], common, sizeof common);
    memcpy(letter, "hV", sizeof "hV");
}

static const tool_option *row_of(const tool_command *command, int c)
{
    for (size_t i = 0; i < command->option_count; i++) {
        if (c == FIRST_ROW + (int)i || (c != 0 && c == command->options[i].letter))
            return &command->options[i];
    }
    return NULL;
}

/* --- errors ------------------------------------------------------------------------------- */

static int unknown(const tool_command *command, const getopt_tables *tables, const char *word)
{
    size_t size = strcspn(word, "="), fits = 0, best = TCI_NEAR_NAME_MAX;
    char given[TCI_NEAR_NAME_MAX + 1];
    const char *meant = NULL;
    if (word[0] != '-' || word[1] != '-') /* a letter, alone or after others */
        return tool_options_misused(command, "unknown option '-%c'", optopt);
    (void)snprintf(given, sizeof given, "%.*s", (int)(size - 2), word + 2);
    for (const struct option *name = tables->names; name->name != NULL; name++) {
        fits += strncmp(name->name, word + 2, size - 2) == 0;
        if (tci_near_name(given, name->name, &best))
            meant = name->name;
    }
    if (fits > 1)
        return tool_options_misused(command, "ambiguous option '%.*s'", (int)size, word);
    return tool_options_misused(command, "unknown option '%.*s'%s%s%s", (int)size, word,
                                meant != NULL ? ", --" : "", meant != NULL ? meant : "",
                                meant != NULL ? " is one" : "");
}

_Static_assert((int)TOOL_NAME_FAR == (int)TCI_NEAR_NAME_MAX, "the same");

bool tool_options_is_nearer(const char *name, const char *known, size_t *best)
{
    return tci_near_name(name, known, best);
}

/* `word` is the argument at which getopt_long stopped. */
static int complain(const tool_command *command, const getopt_tables *tables, int c,
                    const char *word)
{
    const tool_option *row = row_of(command, optopt);
    if (c == ':' && row != NULL)
        return tool_options_misused(command, "option '%s' has no value, expected %s", word,
                                    row->value);
    if (c == ':')
        return tool_options_misused(command, "option '%s' has no value, expected bash or zsh",
                                    word);
    if (row != NULL || optopt >= FIRST_ROW)
        return tool_options_misused(command, "option '%s' has a value, expected none", word);
    return unknown(command, tables, word);
}

/* --- values ------------------------------------------------------------------------------- */

/* Reads a decimal number within the row's limits, without any other character. */
static bool read_number(const tool_option *row, const char *text, uint64_t *value_out)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < row->min ||
        value > row->max)
        return false;
    *value_out = value;
    return true;
}

#define NS_PER_S 1000000000ull

/* Reads seconds with up to nine decimals, likewise. */
static bool read_seconds(const tool_option *row, const char *text, uint64_t *value_out)
{
    char *end;
    errno = 0;
    uint64_t seconds = strtoull(text, &end, 10), ns = 0;
    if (text[0] < '0' || text[0] > '9' || errno != 0 || seconds > row->max / NS_PER_S)
        return false;
    if (*end == '.') {
        for (uint64_t unit = NS_PER_S / 10; *++end >= '0' && *end <= '9'; unit /= 10)
            ns += unit * (uint64_t)(*end - '0');
    }
    ns += seconds * NS_PER_S;
    if (*end != '\0' || end[-1] == '.' || ns < row->min || ns > row->max)
        return false;
    *value_out = ns;
    return true;
}

static bool has_word(const char *words, const char *text, size_t size)
{
    for (;; words++) {
        size_t n = strcspn(words, ",");
        if (n == size && strncmp(words, text, size) == 0)
            return true;
        words += n;
        if (*words == '\0')
            return false;
    }
}

/* Returns whether `text` is one of the words, or with `many` a list of some. */
static bool has_words(const char *words, const char *text, bool many)
{
    for (;; text++) {
        size_t size = many ? strcspn(text, ",") : strlen(text);
        if (!has_word(words, text, size))
            return false;
        text += size;
        if (*text == '\0')
            return true;
    }
}

bool tool_options_accepts(const tool_option *row, const char *text, char *why_out, size_t size)
{
    uint64_t number;
    if (row->kind == TOOL_NUMBER && !read_number(row, text, &number))
        (void)snprintf(why_out, size, "'%s': expected %" PRIu64 " to %" PRIu64, text, row->min,
                       row->max);
    else if (row->kind == TOOL_SECONDS && !read_seconds(row, text, &number))
        (void)snprintf(why_out, size, "'%s': expected %g to %g seconds", text,
                       (double)row->min / NS_PER_S, (double)row->max / NS_PER_S);
    else if (row->kind == TOOL_TEXT && *text == '\0')
        (void)snprintf(why_out, size, "'': expected %s", row->value);
    else if (row->kind != TOOL_FLAG && row->kind != TOOL_OTHER && row->words != NULL &&
             !has_words(row->words, text, row->kind == TOOL_NAMES))
        (void)snprintf(why_out, size, "'%s': expected %s of %s", text,
                       row->kind == TOOL_NAMES ? "some" : "one", row->words);
    else
        return true;
    return false;
}

static int take(const tool_command *command, const tool_option *row, void *into)
{
    void *at = (char *)into + row->offset;
    char why[1024];
    if (row->kind == TOOL_FLAG)
        *(bool *)at = true;
    else if (!tool_options_accepts(row, optarg, why, sizeof why))
        return tool_options_misused(command, "--%s %s", row->name, why);
    else if (row->kind == TOOL_NUMBER)
        (void)read_number(row, optarg, at);
    else if (row->kind == TOOL_SECONDS)
        (void)read_seconds(row, optarg, at);
    else if (row->kind != TOOL_OTHER)
        *(const char **)at = optarg;
    return row->take == NULL || row->take(into, row, optarg) ? TOOL_GO_ON : TOOL_USAGE;
}

int tool_options_version(const char *name)
{
    int size = (int)strcspn(name, " ");
    int n = printf("%.*s " TC_VERSION_STRING "\nLLVM " TOOL_LLVM_VERSION
                   "\nUCX " TOOL_UCX_VERSION "\n",
                   size, name);
    return n > 0 && fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
}

static int take_any(const tool_command *command, const getopt_tables *tables, int c,
                    const char *word, void *into)
{
    switch (c) {
    case 'h':
    case HELP:
        return tool_help_print(command);
    case 'V':
    case VERSION:
        return tool_options_version(command->name);
    case COMPLETION:
        return tool_completion_print(command, optarg);
    case '?':
    case ':':
        return complain(command, tables, c, word);
    default:
        return take(command, row_of(command, c), into);
    }
}

static int check_rest(const tool_command *command, int argc, char **argv)
{
    int count = argc - optind;
    if (command->commands != NULL)
        return TOOL_GO_ON;
    if (count > command->rest_max)
        return tool_options_misused(command, "unexpected argument '%s'",
                                    argv[optind + command->rest_max]);
    if (count < command->rest_min)
        return tool_options_misused(command, "got %d arguments, expected %s%d", count,
                                    command->rest_max > command->rest_min ? "at least " : "",
                                    command->rest_min);
    for (int i = optind; i < argc; i++) {
        if (*argv[i] == '\0' && i - optind < command->rest_min)
            return tool_options_misused(command, "argument %d is '', expected a text",
                                        i - optind + 1);
    }
    return TOOL_GO_ON;
}

int tool_options_parse(const tool_command *command, int argc, char **argv, void *into)
{
    getopt_tables tables = {.letters = ""};
    make_tables(command, &tables);
    opterr = 0;
    optind = 0; /* restarts getopt: a command's arguments follow its program's */
    for (;;) {
        int c = getopt_long(argc, argv, tables.letters, tables.names, NULL);
        if (c == -1)
            return check_rest(command, argc, argv);
        int result = take_any(command, &tables, c, argv[optind - 1], into);
        if (result != TOOL_GO_ON)
            return result;
    }
}

const tool_command *tool_options_command(const tool_command *program, const char *name)
{
    char known[512] = "";
    for (const tool_command *const *at = program->commands; *at != NULL; at++) {
        const char *own = (*at)->name + strlen(program->name) + 1;
        if (name != NULL && strcmp(own, name) == 0)
            return *at;
        if (strlen(known) + strlen(own) + 3 < sizeof known)
            (void)sprintf(known + strlen(known), "%s%s", known[0] != '\0' ? ", " : "", own);
    }
    if (name == NULL)
        (void)tool_options_misused(program, "nothing to do, expected one of %s", known);
    else
        (void)tool_options_misused(program, "'%s', expected one of %s", name, known);
    return NULL;
}

int tool_options_run(const tool_command *program, int (*const *runs)(int argc, char **argv),
                     int argc, char **argv)
{
    const tool_command *command = tool_options_command(program, argv[optind]);
    size_t i = 0;
    if (command == NULL)
        return TOOL_USAGE;
    while (program->commands[i] != command)
        i++;
    return runs[i](argc - optind, argv + optind);
}

int tool_options_finish(const tool_command *program, int result)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return result;
    (void)fprintf(stderr, "%s: cannot write to stdout\n", program->name);
    return TOOL_FAILED;
}
