#include "perf_experiment.h"
#include "perf_option_rows.h"
#include "perf_value.h"

#include <assert.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <tc/version.h>
#include <unistd.h>

#define ROWS_MAX 64u
#define ROUNDS_ONE 20u
#define ROUNDS_SWEEP 4u

/* --- help -------------------------------------------------------------------------------- */

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

/* The options of one experiment; NULL: the experiments, and what all of them know. */
static void print_help(const perf_experiment *experiment)
{
    if (experiment != NULL)
        print_experiment(experiment);
    else
        print_all();
}

bool perf_options_program_folder(char folder[PERF_PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", folder, PERF_PATH_MAX - 1);
    if (size < 0) {
        perror("tc-perf: /proc/self/exe");
        return false;
    }
    folder[size] = '\0';
    *strrchr(folder, '/') = '\0';
    return true;
}

/* Archives lie beside the program, both where it is built and where it is installed. */
static bool default_ifunc_path(perf_options *options)
{
    char program[PERF_PATH_MAX];
    options->ifunc_path = options->text[1];
    return perf_options_program_folder(program) &&
           snprintf(options->text[1], PERF_PATH_MAX,
                    "%s/../benchmarks:%s/../share/three-chains/benchmarks", program,
                    program) < PERF_PATH_MAX;
}

static void default_pin(perf_options *options)
{
    cpu_set_t allowed;
    int found = 0;
    options->cpus[0] = options->cpus[1] = -1;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
        return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++) {
        if (CPU_ISSET(cpu, &allowed))
            options->cpus[found++] = (int)cpu;
    }
}

static const perf_option_row *find_row(int letter)
{
    const perf_option_row *row = perf_option_rows, *end = row + perf_option_count;
    while (row < end && row->letter != letter)
        row++;
    return row < end ? row : NULL;
}

static const perf_option_row *named(const char *name)
{
    const perf_option_row *row = perf_option_rows, *end = row + perf_option_count;
    while (row < end && strcmp(row->name, name) != 0)
        row++;
    assert(row < end);
    return row;
}

static void set_default(perf_options *options, const char *name, const char *value)
{
    bool ok = perf_option_rows_taken(named(name), options->experiment) &&
              perf_option_rows_set(named(name), options, value);
    assert(ok);
    (void)ok;
}

/* An experiment that names an option which does not exist is a mistake in its row. */
static void check_names(const char *names)
{
    char name[32];
    while (names != NULL && perf_value_name(&names, ' ', name, sizeof name))
        (void)named(name);
}

static bool set_defaults(perf_options *options, const perf_experiment *experiment)
{
    *options = (perf_options){
        .experiment = experiment,
        .payloads = {.values = {8}, .count = 1},
        .delivery_count = 1, /* of the library's own choice */
    };
    check_names(experiment->options);
    for (size_t i = 0; experiment->defaults[i].option != NULL; i++)
        set_default(options, experiment->defaults[i].option, experiment->defaults[i].value);
    default_pin(options);
    return default_ifunc_path(options);
}

static perf_parse wrong(const char *what, const char *value)
{
    (void)fprintf(stderr, "tc-perf: %s '%s'; tc-perf --help has the list\n", what, value);
    return PERF_PARSE_WRONG;
}

static perf_parse set_row(perf_options *options, const perf_option_row *row, const char *value)
{
    if (!perf_option_rows_taken(row, options->experiment))
        return wrong("this experiment has no option", row->name);
    if (perf_option_rows_set(row, options, value))
        return PERF_PARSE_RUN;
    (void)fprintf(stderr, "tc-perf: --%s '%s': expected %s, %s\n", row->name, value, row->value,
                  row->help);
    return PERF_PARSE_WRONG;
}

static perf_parse parse_rows(perf_options *options, int argc, char **argv)
{
    struct option long_options[ROWS_MAX + 1] = {{0}};
    char short_options[2 * ROWS_MAX + 1] = "";
    assert(perf_option_count <= ROWS_MAX);
    for (size_t i = 0, at = 0; i < perf_option_count; i++) {
        const perf_option_row *row = &perf_option_rows[i];
        long_options[i].name = row->name;
        long_options[i].has_arg = row->value != NULL ? required_argument : no_argument;
        long_options[i].val = row->letter;
        short_options[at++] = row->letter;
        if (row->value != NULL)
            short_options[at++] = ':';
    }
    perf_parse result = PERF_PARSE_RUN;
    for (int letter;
         result == PERF_PARSE_RUN &&
         (letter = getopt_long(argc, argv, short_options, long_options, NULL)) != -1;) {
        const perf_option_row *row = find_row(letter);
        result = row != NULL ? set_row(options, row, optarg) : PERF_PARSE_WRONG;
    }
    if (result == PERF_PARSE_RUN && optind < argc)
        result = wrong("unexpected argument", argv[optind]);
    return result;
}

perf_parse perf_options_parse(perf_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(perf_experiment_find(argv[1]));
            return PERF_PARSE_DONE;
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            (void)printf("tc-perf %s\n", TC_VERSION_STRING);
            return PERF_PARSE_DONE;
        }
    }
    if (argc < 2)
        return wrong("expected the name of an experiment, got", "");
    const perf_experiment *experiment = perf_experiment_find(argv[1]);
    if (experiment == NULL || !set_defaults(options, experiment))
        return wrong("no experiment is called", argv[1]);
    perf_parse result = parse_rows(options, argc - 1, argv + 1);
    if (options->rounds == 0)
        options->rounds = options->payloads.count == 1 ? ROUNDS_ONE : ROUNDS_SWEEP;
    options->payload_bytes = (size_t)options->payloads.values[0];
    return result;
}
