#include "perf_help.h"

#include "perf_experiment.h"
#include "perf_option_rows.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 100u
#define HELP_COLUMN 25u

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

static void print_all(void)
{
    (void)puts(
        "usage: tc-perf EXPERIMENT [options]\n"
        "       tc-perf EXPERIMENT --help      the options of one experiment\n"
        "       tc-perf plot FILE.json -o FILE.svg [-t TITLE]   draw what --json wrote\n");
    for (size_t i = 0; perf_experiments[i] != NULL; i++)
        print_entry(perf_experiments[i]->name, perf_experiments[i]->summary);
    (void)puts("\nAll experiments know:");
    for (size_t i = 0; i < perf_option_count; i++) {
        if (perf_option_rows_common(&perf_option_rows[i]))
            print_option(&perf_option_rows[i]);
    }
    print_entry("-h, --help", "this text");
    print_entry("-V, --version", "the version");
}

static void print_experiment(const perf_experiment *experiment)
{
    (void)printf("usage: tc-perf %s [options]\n\n", experiment->name);
    for (size_t i = 0; i < perf_option_count; i++) {
        if (perf_option_rows_taken(&perf_option_rows[i], experiment))
            print_option(&perf_option_rows[i]);
    }
    print_entry("-h, --help", "this text");
    (void)puts(
        "\nAll processes are on this machine. 1 MB is 2^20 bytes. What is measured, and how: "
        "tc-perf(1).");
}

void perf_help_print(const perf_experiment *experiment)
{
    if (experiment != NULL)
        print_experiment(experiment);
    else
        print_all();
}
