/* tc-perf plot: draws the JSON of an experiment, by a script beside the program. */
#ifndef TC_PERF_PLOT_H
#define TC_PERF_PLOT_H

/* argv[0] is "plot". Returns the exit status only when the script could not be started. */
int perf_plot(int argc, char **argv);

#endif
