#include "perf_experiment.h"
#include "perf_help.h"
#include "perf_option_rows.h"
#include "perf_value.h"

#include <assert.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tc/version.h>

#define ROWS_MAX 64u
#define ROUNDS_ONE 20u
#define ROUNDS_SWEEP 4u

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
            perf_help_print(perf_experiment_find(argv[1]));
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
