#include "perf_help.h"

#include "perf_option_rows.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 100u
#define HELP_COLUMN 25u

/* Every experiment has one. */
static const char *const summaries[] = {
    [PERF_TSI] = "half round trip and rate of a function that adds one to a counter",
    [PERF_SSUM] = "the same of a function that adds up its payload",
    [PERF_IPUT] = "the same of one that puts its payload where a hash table says",
    [PERF_INTEGRITY] = "order and content of messages, checked by the function itself",
    [PERF_WAIT] = "what a waiting target costs, and how soon it wakes",
    [PERF_POLL] = "what idle endpoints cost a target that polls",
    [PERF_FIRST_CALL] = "stages of the first calls of functions that are new to their target",
    [PERF_FLOOD] = "a source that is too fast for its target: nothing may grow",
    [PERF_BANDWIDTH] = "of large payloads, beside UCX's puts and active messages",
    [PERF_DAPC] = "a chase through a table of pointers that is spread over servers",
};

/* `left`, then the words of `text` in lines of their own column. */
static void print_entry(const char *left, const char *text)
{
    unsigned column = (unsigned)printf("  %-22s", left);
    for (size_t size; *text != '\0'; text += size + (text[size] == ' ')) {
        size = strcspn(text, " ");
        if (column + 1 + size > COLUMNS) {
            (void)printf("\n%*s", (int)HELP_COLUMN - 1, "");
            column = HELP_COLUMN - 1;
        }
        column += (unsigned)printf(" %.*s", (int)size, text);
    }
    (void)putchar('\n');
}

static void print_option(const perf_option_row *row)
{
    char left[64];
    (void)snprintf(left, sizeof left, "-%c, --%s %s", row->letter, row->name,
                   row->value != NULL ? row->value : "");
    print_entry(left, row->help);
}

void perf_help_print(void)
{
    (void)puts(
        "usage: tc-perf EXPERIMENT [options]\n"
        "       tc-perf EXPERIMENT --help      the options of one experiment\n"
        "       tc-perf plot FILE.json -o FILE.svg [-t TITLE]   draw what --json wrote\n");
    for (size_t i = 0; i < sizeof summaries / sizeof summaries[0]; i++)
        print_entry(perf_experiment_name((perf_experiment)i), summaries[i]);
    (void)puts("\nAll experiments know:");
    for (size_t i = 0; i < PERF_OPTION_COUNT; i++) {
        if (perf_option_rows[i].where == IN_ALL)
            print_option(&perf_option_rows[i]);
    }
    print_entry("-h, --help", "this text");
    print_entry("-V, --version", "the version");
}

void perf_help_print_experiment(perf_experiment experiment)
{
    (void)printf("usage: tc-perf %s [options]\n\n", perf_experiment_name(experiment));
    for (size_t i = 0; i < PERF_OPTION_COUNT; i++) {
        if ((perf_option_rows[i].where & (1u << experiment)) != 0)
            print_option(&perf_option_rows[i]);
    }
    print_entry("-h, --help", "this text");
    (void)puts(
        "\nAll processes are on this machine. 1 MB is 2^20 bytes. What is measured, and how: "
        "tc-perf(1).");
}
