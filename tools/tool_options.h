/* The options of a program as one table, from which getopt_long, --help and the completions of
 * shells are made. A program with commands ("tc-ar list") has a table for each. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tool_option_kind {
    TOOL_FLAG,    /* bool */
    TOOL_TEXT,    /* const char *, not empty */
    TOOL_BYTES,   /* const char *, may be empty */
    TOOL_NUMBER,  /* uint64_t, decimal, from min to max */
    TOOL_SECONDS, /* uint64_t, nanoseconds from min to max: "2", "0.25" */
    TOOL_CHOICE,  /* const char *, one of `words` */
    TOOL_NAMES,   /* const char *, some of `words`, with commas */
    TOOL_OTHER    /* only `take` is called */
} tool_option_kind;

typedef struct tool_option {
    const char *name; /* with its dashes if they are not "--" */
    char letter;      /* 0: none */
    tool_option_kind kind;
    const char *value; /* its name in help; NULL for a flag; "[N]" may be left out */
    const char *help;  /* NULL: not listed in help and completions */
    size_t offset;     /* in the structure that tool_options_parse fills */
    uint64_t min;
    uint64_t max;
    const char *words; /* with commas; for TOOL_OTHER only used by shells */
    /* Called after the option is parsed; may be NULL. Prints its own error and returns false on
     * failure. */
    bool (*take)(void *into, const struct tool_option *row, const char *text);
} tool_option;

typedef struct tool_command {
    const char *name;    /* "tc-send", "tc-ar list" */
    const char *summary; /* of a command, in its program's help; NULL: not listed there */
    const char *usage;   /* the text after the name, in lines */
    const char *about;   /* paragraphs; NULL: none */
    const tool_option *options;
    size_t option_count;
    const char *notes; /* paragraphs after the options; NULL: none */
    /* Limits of the number of arguments that are not options; other numbers are an error. */
    int rest_min;
    int rest_max;
    bool rest_is_program;       /* the first argument; all later ones belong to that program */
    const char *part_separator; /* options and a program follow it again; may be NULL */
    /* Returns the possible arguments by index; NULL after the last. Without it they are
     * files. */
    const char *(*rest_word)(size_t index);
    /* The commands, if the program has some; NULL after the last. One of them follows its
     * options. */
    const struct tool_command *const *commands;
} tool_command;

/* Expects argv[0] to be the program or the command; `optind` is then the index of the first
 * argument that is no option. Options that are not given leave `into` unchanged. Returns
 * TOOL_GO_ON, or the exit status after printing help, the version, a completion, or an
 * error. */
enum { TOOL_GO_ON = -1 };
int tool_options_parse(const tool_command *command, int argc, char **argv, void *into);

/* Returns whether tool_options_parse accepts the value; otherwise why_out has it and the
 * expected one. Flags and TOOL_OTHER are not checked. */
bool tool_options_accepts(const tool_option *row, const char *text, char *why_out, size_t size);

/* Returns whether `known` is nearer to a mistaken name than *best, and near enough to be meant.
 * *best, at first TOOL_NAME_FAR, becomes its distance. */
enum { TOOL_NAME_FAR = 48 };
bool tool_options_is_nearer(const char *name, const char *known, size_t *best);

/* For a program with commands, after tool_options_parse: returns the command called `name`,
 * which is argv[optind]. Returns NULL after an error message if the arguments are wrong. */
const tool_command *tool_options_command(const tool_command *program, const char *name);

/* Runs the command that argv[optind] names: runs[i] is the function of program->commands[i],
 * and gets the command as its argv[0]. */
int tool_options_run(const tool_command *program, int (*const *runs)(int argc, char **argv),
                     int argc, char **argv);

/* Returns the exit status: `result`, unless standard output could not be written, which on a
 * full disk shows only after all output. */
int tool_options_finish(const tool_command *program, int result);

/* Prints the program, and the LLVM and UCX that it was built with, a line each. For a command
 * ("tc-ar list") the program's name is printed. Returns the exit status. */
int tool_options_version(const char *name);

/* Prints "tc-send: TEXT" and the usage on standard error. Returns TOOL_USAGE. */
__attribute__((format(printf, 2, 3))) int tool_options_misused(const tool_command *command,
                                                               const char *fmt, ...);

#endif
