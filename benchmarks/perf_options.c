#include "perf_help.h"
#include "perf_option_rows.h"

#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tc/version.h>

#define ROUNDS_ONE 20u
#define ROUNDS_SWEEP 4u
#define ROUNDS_DAPC 10u

typedef struct experiment_row {
    const char *name;
    struct {
        char letter; /* of an option; 0 ends the list */
        const char *value;
    } defaults[9];
} experiment_row;

static const experiment_row experiment_rows[] = {
    [PERF_TSI] = {"tsi", {{'s', "8"}, {'m', "bare,am,cached,uncached"}}},
    [PERF_SSUM] = {"ssum", {{'p', "16..32K"}, {'m', "cached,inject,local"}}},
    [PERF_IPUT] = {"iput", {{'p', "16..32K"}, {'m', "cached,inject,local"}}},
    [PERF_BANDWIDTH] = {"bandwidth",
                        {{'s', "64K,256K,1M,4M,16M"}, {'m', "put,am,cached"}, {'r', "10"}}},
    [PERF_INTEGRITY] = {"integrity", {{'n', "1000000"}, {'d', "all"}, {'S', "1..2048"}}},
    [PERF_WAIT] = {"wait", {{'n', "200"}, {'k', "16"}, {'P', "2..16"}}},
    [PERF_POLL] = {"poll", {{'e', "1..256"}}},
    [PERF_FIRST_CALL] = {"first-call",
                         {{'F', PERF_FUNCTIONS_ALL}, {'W', PERF_PATHS_ALL}, {'r', "10"}}},
    [PERF_DAPC] = {"dapc",
                   {{'N', "1,4,8"},
                    {'D', "4096"},
                    {'q', "1"},
                    {'a', "adaptive"},
                    {'o', "tcp"},
                    {'C', "warm"},
                    {'R', "reply"},
                    {'m', "get,am,bitcode,image"}}},
    [PERF_FLOOD] = {"flood", {{'s', "64"}, {'d', "all"}}},
};

#define EXPERIMENT_COUNT (sizeof experiment_rows / sizeof experiment_rows[0])

const char *perf_experiment_name(perf_experiment experiment)
{
    return experiment_rows[experiment].name;
}

/* Archives lie beside the program, both where it is built and where it is installed. */
static bool default_ifunc_path(perf_options *options)
{
    char exe[PERF_PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (size < 0)
        return false;
    exe[size] = '\0';
    *strrchr(exe, '/') = '\0';
    options->ifunc_path = options->text[1];
    return snprintf(options->text[1], PERF_PATH_MAX,
                    "%s/../benchmarks:%s/../share/three-chains/benchmarks", exe,
                    exe) < PERF_PATH_MAX;
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

static const perf_option_row *find_option(int letter)
{
    for (size_t i = 0; i < PERF_OPTION_COUNT; i++) {
        if (perf_option_rows[i].letter == letter)
            return &perf_option_rows[i];
    }
    return NULL;
}

/* EXPERIMENT_COUNT: none has that name. */
static size_t find_experiment(const char *name)
{
    size_t which = 0;
    if (strcmp(name, "first") == 0)
        name = "first-call"; /* as it was called before */
    while (which < EXPERIMENT_COUNT && strcmp(experiment_rows[which].name, name) != 0)
        which++;
    return which;
}

static void print_help(const char *experiment)
{
    size_t which = find_experiment(experiment);
    if (which == EXPERIMENT_COUNT)
        perf_help_print();
    else
        perf_help_print_experiment((perf_experiment)which);
}

static bool set_defaults(perf_options *options, const char *experiment)
{
    size_t which = find_experiment(experiment);
    if (which == EXPERIMENT_COUNT)
        return false;
    const experiment_row *row = &experiment_rows[which];
    *options = (perf_options){
        .experiment = (perf_experiment)which,
        .payloads = {8},
        .payload_count = 1,
        .warmup = 1000,
        .delivery_count = 1, /* of the library's own choice */
        .seconds = 10,
        .burn_ns = 2000,
        .slack_bytes = 1u << 20,
    };
    for (size_t i = 0; row->defaults[i].letter != 0; i++)
        (void)find_option(row->defaults[i].letter)->set(options, row->defaults[i].value);
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
    if ((row->where & (1u << options->experiment)) == 0)
        return wrong("this experiment has no option", row->name);
    if (row->set(options, value))
        return PERF_PARSE_RUN;
    (void)fprintf(stderr, "tc-perf: --%s '%s': expected %s, %s\n", row->name, value, row->value,
                  row->help);
    return PERF_PARSE_WRONG;
}

static perf_parse parse_rows(perf_options *options, int argc, char **argv)
{
    struct option long_options[PERF_OPTION_COUNT + 1] = {{0}};
    char short_options[2 * PERF_OPTION_COUNT + 1] = "";
    for (size_t i = 0, at = 0; i < PERF_OPTION_COUNT; i++) {
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
        const perf_option_row *row = find_option(letter);
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
            print_help(argv[1]);
            return PERF_PARSE_DONE;
        }
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            (void)printf("tc-perf %s\n", TC_VERSION_STRING);
            return PERF_PARSE_DONE;
        }
    }
    if (argc < 2)
        return wrong("expected the name of an experiment, got", "");
    if (!set_defaults(options, argv[1]))
        return wrong("no experiment is called", argv[1]);
    perf_parse result = parse_rows(options, argc - 1, argv + 1);
    if (options->rounds == 0)
        options->rounds = options->experiment == PERF_DAPC ? ROUNDS_DAPC
                          : options->payload_count == 1    ? ROUNDS_ONE
                                                           : ROUNDS_SWEEP;
    options->payload_bytes = (size_t)options->payloads[0];
    return result;
}
