#include "perf_experiment.h"
#include "perf_option_rows.h"
#include "perf_value.h"
#include "tool_options.h"
#include "tool_status.h"

#include <assert.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MAX 64u
#define ROUNDS_ONE 20u
#define ROUNDS_SWEEP 4u

/* --- the tables of options --------------------------------------------------------------- */

#define EXPERIMENTS_MAX 24u
#define HELP_MAX 256u
#define NOTED_ROWS_MAX 16u /* help has 24 lines */

/* An experiment as a command: its rows, with its own defaults in their help. */
typedef struct perf_command {
    tool_command command;
    char name[32];
    size_t count;
    tool_option rows[ROWS_MAX];
    char help[ROWS_MAX][HELP_MAX];
} perf_command;

static perf_command commands[EXPERIMENTS_MAX];
static const tool_command *command_list[EXPERIMENTS_MAX + 2];

/* For the list and for shells: plot.py reads its own. */
static const tool_option plot_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_OTHER,
     .value = "FILE",
     .help = "the drawing"},
    {.name = "title", .letter = 't', .kind = TOOL_OTHER, .value = "TITLE", .help = "above it"},
    {.name = "compare", .letter = 'c', .kind = TOOL_OTHER, .value = "FILE", .help = "two runs"},
};

static const tool_command plot_command = {
    .name = "tc-perf plot",
    .usage = "FILE.json -o FILE.svg [-t TITLE]",
    .summary = "draws what --json wrote: plot FILE.json -o FILE.svg",
    .options = plot_options,
    .option_count = sizeof plot_options / sizeof plot_options[0],
    .rest_max = INT_MAX,
};

static const tool_command tc_perf = {
    .name = "tc-perf",
    .usage = "EXPERIMENT [options | --help]",
    .commands = command_list,
};

static const char *of_experiment(const perf_default *list, const char *option)
{
    for (; list->option != NULL; list++) {
        if (strcmp(list->option, option) == 0)
            return list->value;
    }
    return NULL;
}

static void describe(const perf_option_row *row, const perf_experiment *experiment, char *help)
{
    const char *told = of_experiment(experiment->told, row->name);
    const char *value = of_experiment(experiment->defaults, row->name);
    int n = snprintf(help, HELP_MAX, "%s%s%s", row->help, told != NULL ? " " : "",
                     told != NULL ? told : "");
    if (value != NULL && n > 0 && n < (int)HELP_MAX)
        (void)snprintf(help + n, HELP_MAX - (size_t)n, " (%s)", value);
}

static bool take_row(void *into, const tool_option *option, const char *text);

/* For the one option with the experiment's words. */
static const char *words_of(const perf_option_row *row, const perf_experiment *experiment)
{
    return strcmp(row->name, "function") == 0 ? experiment->functions : NULL;
}

static void make_command(perf_command *made, const perf_experiment *experiment)
{
    (void)snprintf(made->name, sizeof made->name, "tc-perf %s", experiment->name);
    for (size_t i = 0; i < perf_option_count; i++) {
        const perf_option_row *row = &perf_option_rows[i];
        if (!perf_option_rows_taken(row, experiment))
            continue;
        describe(row, experiment, made->help[made->count]);
        made->rows[made->count] =
            (tool_option){.name = row->name,
                          .letter = row->letter,
                          .kind = TOOL_OTHER,
                          .value = row->value,
                          .words = row->names != NULL ? row->names : words_of(row, experiment),
                          .help = made->help[made->count],
                          .take = take_row};
        made->count++;
    }
    made->command = (tool_command){
        .name = made->name,
        .usage = "[options]",
        .summary = experiment->summary,
        .options = made->rows,
        .option_count = made->count,
        .notes = made->count > NOTED_ROWS_MAX
                     ? NULL
                     : "All processes are on this machine. 1 MB is 2^20 bytes. What is "
                       "measured, and how: tc-perf(1).\n"};
}

static void make_commands(void)
{
    size_t i = 0;
    for (; perf_experiments[i] != NULL; i++) {
        assert(i < EXPERIMENTS_MAX && perf_option_count <= ROWS_MAX);
        make_command(&commands[i], perf_experiments[i]);
        command_list[i] = &commands[i].command;
    }
    command_list[i] = &plot_command;
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
                    "%s/../benchmarks:%s/../benchmarks/papers:%s/../share/tchains/benchmarks",
                    program, program, program) < PERF_PATH_MAX;
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

static bool take_row(void *into, const tool_option *option, const char *text)
{
    const perf_option_row *row = named(option->name);
    if (perf_option_rows_set(row, into, text))
        return true;
    (void)fprintf(stderr, "tc-perf: --%s '%s': expected %s, %s\n", row->name, text, row->value,
                  option->help);
    return false;
}

int perf_options_parse(perf_options *options, int argc, char **argv)
{
    make_commands();
    int result = tool_options_parse(&tc_perf, argc, argv, NULL);
    if (result != TOOL_GO_ON)
        return result;
    const tool_command *command = tool_options_command(&tc_perf, argv[optind]);
    const perf_experiment *experiment =
        command != NULL ? perf_experiment_find(argv[optind]) : NULL;
    if (experiment == NULL || !set_defaults(options, experiment))
        return TOOL_USAGE;
    result = tool_options_parse(command, argc - optind, argv + optind, options);
    if (options->rounds == 0)
        options->rounds = options->payloads.count == 1 ? ROUNDS_ONE : ROUNDS_SWEEP;
    options->payload_bytes = (size_t)options->payloads.values[0];
    return result;
}
