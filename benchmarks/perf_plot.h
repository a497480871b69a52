/* tc-perf plot: draws the JSON of an experiment. */
#ifndef TC_PERF_PLOT_H
#define TC_PERF_PLOT_H

/* argv[0] is "plot". The exit status: 0, 1 after a complaint, 2 for a wrong command line. */
int perf_plot(int argc, char **argv);

#endif
