/* tc-perf: measures the library against the machine's limit and against UCX, and checks that
 * nothing is lost or torn. */
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static perf_options options;
    if (argc > 1 && strcmp(argv[1], "plot") == 0)
        return perf_plot(argc - 1, argv + 1);
    switch (perf_options_parse(&options, argc, argv)) {
    case PERF_PARSE_DONE:
        return EXIT_SUCCESS;
    case PERF_PARSE_WRONG:
        return 2;
    case PERF_PARSE_RUN:
        break;
    }
    /* Before the fork, so that both processes and every mode see the same. */
    if (options.tls != NULL && setenv("UCX_TLS", options.tls, 1) != 0) {
        perror("tc-perf: UCX_TLS");
        return EXIT_FAILURE;
    }
    perf_clock_init();
    return options.experiment->run(&options);
}
