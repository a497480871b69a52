/* Options, of which each stands for a part of the plan. */
#include "arguments.h"

#include "feedback.h"
#include "keys.h"
#include "old/old_peer.h"

#include <tc/sim.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNSET UINT32_MAX
#define UNSET_FEATURES UINT64_MAX
#define WORDS_MAX 64u /* of a command line */

static uint64_t features_of(char *list)
{
    uint64_t features = 0;
    for (char *name = strtok(list, ","); name != NULL; name = strtok(NULL, ",")) {
        unsigned i = 0;
        while (i < PLAN_FEATURE_COUNT && strcmp(plan_feature_name(i), name) != 0)
            i++;
        if (i < PLAN_FEATURE_COUNT)
            features |= plan_bit(i);
        else if (strcmp(name, "none") != 0) {
            fprintf(stderr, "sim-explore: no feature '%s'\n", name);
            exit(2);
        }
    }
    return features;
}

static uint64_t seed_of(const char *text)
{
    tc_error error;
    uint64_t seed;
    if (tc_sim_seed_parse(text, &seed, &error) == TC_OK)
        return seed;
    fprintf(stderr, "sim-explore: %s\n", error.text);
    exit(2);
}

/* Becomes gdb, which runs the same command but for --gdb, and stops where a world fails. A
 * world's timer is not of interest there. */
static void under_gdb(char **argv)
{
    static const char *const words[] = {"gdb",   "-q",
                                        "-ex",   "handle SIGVTALRM nostop noprint pass",
                                        "-ex",   "set breakpoint pending on",
                                        "-ex",   "break flows_fail",
                                        "-ex",   "break sim_world_stop",
                                        "-ex",   "run",
                                        "--args"};
    const char *line[WORDS_MAX];
    size_t count = 0;
    for (; count < sizeof words / sizeof words[0]; count++)
        line[count] = words[count];
    for (; *argv != NULL && count < WORDS_MAX - 1; argv++) {
        if (strcmp(*argv, "--gdb") != 0)
            line[count++] = *argv;
    }
    line[count] = NULL;
    (void)execvp("gdb", (char *const *)line);
    perror("sim-explore: gdb");
    exit(2);
}

/* Set by getopt_long. */
static int traces, states, feedback, each_failure, failures, of_today;

static const struct option options[] = {{"seed", 1, NULL, 's'},
                                        {"worlds", 1, NULL, 'w'},
                                        {"seconds", 1, NULL, 't'},
                                        {"nodes", 1, NULL, 'n'},
                                        {"hosts", 1, NULL, 'h'},
                                        {"actions", 1, NULL, 'a'},
                                        {"without", 1, NULL, 'O'},
                                        {"also", 1, NULL, 'A'},
                                        {"faults", 1, NULL, 'f'},
                                        {"with", 1, NULL, 'W'},
                                        {"trace", 0, &traces, 1},
                                        {"fail-at", 1, NULL, 'F'},
                                        {"each-failure", 0, &each_failure, 1},
                                        {"events", 1, NULL, 'e'},
                                        {"gdb", 0, NULL, 'g'},
                                        {"states", 0, &states, 1},
                                        {"feedback", 0, &feedback, 1},
                                        {"failures", 0, &failures, 1},
                                        {"today", 0, &of_today, 1},
                                        {NULL, 0, NULL, 0}};

static const arguments defaults = {.worlds = 1,
                                   .plan = {.nodes = UNSET,
                                            .hosts = UNSET,
                                            .actions = UNSET,
                                            .faults = UNSET,
                                            .features = UNSET_FEATURES}};

static void take_switches(arguments *args)
{
    args->tracing = traces != 0;
    args->states = states != 0 || feedback != 0;
    args->feedback = feedback != 0;
    args->each_failure = each_failure != 0;
    args->failures = failures != 0;
    args->of_today = of_today != 0;
}

arguments arguments_parse(int argc, char **argv)
{
    arguments args = defaults;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const uint64_t number = optarg != NULL ? strtoull(optarg, NULL, 0) : 0;
        switch (option) {
        case 's':
            args.plan.seed = seed_of(optarg);
            args.has_seed = true;
            break;
        case 'g':
            under_gdb(argv);
            break;
        case 'w':
            args.worlds = number;
            break;
        case 'e':
            args.events = (uint64_t)strtod(optarg, NULL);
            break;
        case 't':
            args.seconds = strtod(optarg, NULL);
            break;
        case 'n':
            args.plan.nodes = (unsigned)number;
            break;
        case 'h':
            args.plan.hosts = (unsigned)number;
            break;
        case 'a':
            args.plan.actions = (unsigned)number;
            break;
        case 'f':
            args.plan.faults = (unsigned)number;
            break;
        case 'F':
            args.plan.fail_at = number;
            break;
        case 'W':
            args.plan.features = features_of(optarg);
            break;
        case 'A':
        case 'O':
            *(option == 'A' ? &args.also : &args.without) = features_of(optarg);
            break;
        case 0: /* set */
            break;
        default:
            exit(2);
        }
    }
    take_switches(&args);
    return args;
}

plan arguments_plan(const arguments *args, uint64_t seed)
{
    plan p = args->feedback ? feedback_plan(seed) : plan_of(seed);
    if (args->plan.nodes != UNSET)
        p.nodes = args->plan.nodes < PLAN_NODES_MAX ? args->plan.nodes : PLAN_NODES_MAX;
    if (args->plan.hosts != UNSET)
        p.hosts = args->plan.hosts;
    if (p.hosts > p.nodes)
        p.hosts = p.nodes;
    if (args->plan.actions != UNSET)
        p.actions = args->plan.actions;
    if (args->plan.faults != UNSET)
        p.faults = args->plan.faults;
    if (args->plan.features != UNSET_FEATURES)
        p.features = args->plan.features;
    p.features = (p.features | args->also) & ~args->without;
    if (!keys_are_there())
        p.features &= ~plan_bit(PLAN_keys);
    if (!old_peers_are_there())
        p.features &= ~plan_bit(PLAN_old_peers);
    p.fail_at = args->plan.fail_at;
    return p;
}
