/* A program that is an application of the paper on MRPC: tc-run starts it as the ranks of a
 * group, and its versions take turns in each round. */
#ifndef TC_MRPC_RUN_H
#define TC_MRPC_RUN_H

#include "mrpc_report.h"
#include "tool_options.h"

/* The rows of the options that all applications have, in a structure whose member `common` is
 * an mrpc_options; and the row for runs of several steps. */
#define MRPC_RUN_OPTIONS(type, names)                                                          \
    {.name = "rounds",                                                                         \
     .letter = 'r',                                                                            \
     .kind = TOOL_NUMBER,                                                                      \
     .value = "N",                                                                             \
     .help = "of all versions (10)",                                                           \
     .offset = offsetof(type, common.rounds),                                                  \
     .min = 1,                                                                                 \
     .max = MRPC_ROUNDS_MAX},                                                                  \
        {.name = "stamped",                                                                    \
         .kind = TOOL_NUMBER,                                                                  \
         .value = "N",                                                                         \
         .help = "rounds after these, with stamps (3)",                                        \
         .offset = offsetof(type, common.stamped),                                             \
         .min = 0,                                                                             \
         .max = MRPC_STAMPED_MAX},                                                             \
        {.name = "seed",                                                                       \
         .kind = TOOL_NUMBER,                                                                  \
         .value = "N",                                                                         \
         .help = "of all values (1)",                                                          \
         .offset = offsetof(type, common.seed),                                                \
         .min = 0,                                                                             \
         .max = INT64_MAX},                                                                    \
        {.name = "versions",                                                                   \
         .kind = TOOL_NAMES,                                                                   \
         .value = "NAMES",                                                                     \
         .help = "that take turns (all)",                                                      \
         .offset = offsetof(type, common.versions),                                            \
         .words = (names)},                                                                    \
    {                                                                                          \
        .name = "json", .letter = 'j', .kind = TOOL_TEXT, .value = "FILE",                     \
        .help = "the figures", .offset = offsetof(type, common.json_path)                      \
    }
#define MRPC_RUN_STEPS(type, text)                                                             \
    {                                                                                          \
        .name = "steps", .letter = 's', .kind = TOOL_NUMBER, .value = "N", .help = (text),     \
        .offset = offsetof(type, common.steps), .min = 1, .max = 1000000                       \
    }

/* Parses the options, joins the group, runs all rounds and reports at rank 0. Returns the exit
 * status. `common` is a part of `options`. */
int mrpc_run_main(const mrpc_app *app, const tool_command *command, void *options,
                  const mrpc_options *common, int argc, char **argv);

#endif
