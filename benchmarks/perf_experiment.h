/* An experiment of tc-perf is one value of this type, at the end of its own file, and one row
 * of a list: in perf_experiment.c, or for experiments of papers in papers/paper_list.h. Help,
 * the check of options and the defaults come from it. */
#ifndef TC_PERF_EXPERIMENT_H
#define TC_PERF_EXPERIMENT_H

#include "perf_options.h"

#define PERF_DEFAULTS_MAX 12u
#define PERF_TOLD_MAX 4u

typedef struct perf_default {
    const char *option; /* its name; NULL after the last */
    const char *value;  /* as on the command line */
} perf_default;

struct perf_experiment {
    const char *name; /* on the command line and in the JSON */
    const char *summary; /* NULL: tc-perf --help leaves it out */
    /* Names of the options that it takes beside the common ones, separated by spaces; see
     * perf_option_rows.c. */
    const char *options;
    perf_default defaults[PERF_DEFAULTS_MAX + 1];
    /* The values of --function, a comma list; NULL: there is no such option. */
    const char *functions;
    perf_default told[PERF_TOLD_MAX + 1]; /* help on them here, beside defaults */
    perf_range payload_bytes;             /* limits of --size and --sweep */
    uint64_t iterations_max;
    bool takes_pairs; /* --pin A,B:C,D: two pairs of processors that take turns */

    /* Returns the exit status: 0 when all was measured and right, 1 after a complaint, 2 when
     * the options do not go together. */
    int (*run)(const perf_options *options);
    /* The function of "tc-perf member ...": a process that an experiment has started. NULL:
     * none. */
    int (*member)(int argc, char **argv);
};

/* NULL after the last. */
extern const perf_experiment *const perf_experiments[];

/* NULL: no experiment has that name. */
const perf_experiment *perf_experiment_find(const char *name);

/* Variants that one option of an experiment chooses. */
int fan_in_run(const perf_options *options);     /* tsi --senders */
int ring_sweep_run(const perf_options *options); /* tsi, ssum, iput --ring-bytes */
int intrusion_run(const perf_options *options);  /* first-call --intrusion */
int holes_run(const perf_options *options);      /* first-call --holes */

#endif
