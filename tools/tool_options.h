/* The options of a program as one table, which getopt_long, --help and the completions of shells
 * are made from. A program with commands ("tc-ar list") has a table for each. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tool_option_kind {
    TOOL_FLAG,   /* bool */
    TOOL_TEXT,   /* const char *, not empty */
    TOOL_BYTES,  /* const char *, may be empty */
    TOOL_NUMBER, /* uint64_t, decimal, from min to max */
    TOOL_CHOICE, /* const char *, one of `words` */
    TOOL_NAMES,  /* const char *, some of `words`, with commas */
    TOOL_OTHER   /* `take` alone */
} tool_option_kind;

typedef struct tool_option {
    const char *name; /* with its dashes where they are not two */
    char letter;      /* 0: none */
    tool_option_kind kind;
    const char *value; /* how help calls it; NULL for a flag; "[N]" may be left out */
    const char *help;  /* NULL: known to nobody but the program */
    size_t offset;     /* in what tool_options_parse fills */
    uint64_t min;
    uint64_t max;
    const char *words; /* with commas; of TOOL_OTHER for shells alone */
    /* After the kind has been obeyed; may be NULL. It complains itself when it returns false. */
    bool (*take)(void *into, const struct tool_option *row, const char *text);
} tool_option;

typedef struct tool_command {
    const char *name;    /* "tc-send", "tc-ar list" */
    const char *summary; /* of a command, in its program's help; NULL: it is not listed there */
    const char *usage;   /* what follows the name, in lines */
    const char *about;   /* paragraphs; NULL: none */
    const tool_option *options;
    size_t option_count;
    const char *notes; /* paragraphs behind the options; NULL: none */
    /* Arguments that are no options; a command line with others is wrong. */
    int rest_min;
    int rest_max;
    bool rest_is_program; /* the first; what follows is that one's own */
    /* What they may be, by number; NULL behind the last. Without this they are files. */
    const char *(*rest_word)(size_t index);
    /* Of a program that has some; NULL behind the last. One of them stands behind its options. */
    const struct tool_command *const *commands;
} tool_command;

/* Expects argv[0] to be the program or the command; what is no option begins at `optind` then.
 * Options that are not given leave `into` as it was. Returns TOOL_GO_ON, or what to exit with:
 * help, the version or a completion was printed, or what is wrong. */
enum { TOOL_GO_ON = -1 };
int tool_options_parse(const tool_command *command, int argc, char **argv, void *into);

/* Of a program with commands, behind tool_options_parse: the one that argv[optind] names. NULL
 * after a complaint: the arguments are wrong. */
const tool_command *tool_options_command(const tool_command *program, const char *name);

/* Does what argv[optind] names: runs[i] is the function of program->commands[i], and gets the command as
 * its argv[0]. */
int tool_options_run(const tool_command *program, int (*const *runs)(int argc, char **argv),
                     int argc, char **argv);

/* What to exit with: `result`, unless standard output could not be written, which on a full disk
 * shows only when all has been said. */
int tool_options_finish(const tool_command *program, int result);

/* "tc-send: TEXT" and the usage on standard error; returns TOOL_USAGE. */
__attribute__((format(printf, 2, 3))) int tool_options_misused(const tool_command *command,
                                                               const char *fmt, ...);

#endif
