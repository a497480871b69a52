/* tc-perf: measures the library against the machine's limit and against UCX, and checks that
 * nothing is lost or torn. */
#include "perf_clock.h"
#include "perf_experiment.h"
#include "perf_options.h"
#include "tool_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- tc-perf plot ------------------------------------------------------------------------ */

#define INTERPRETER "python3"
#define ARGUMENTS_MAX 16

/* The script lies where the archives are. */
static bool find_script(char *path, size_t size)
{
    static const char *const folders[] = {"../benchmarks", "../share/tchains/benchmarks"};
    char program[PERF_PATH_MAX];
    if (!perf_options_program_folder(program))
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if ((size_t)snprintf(path, size, "%s/%s/plot.py", program, folders[i]) < size &&
            access(path, R_OK) == 0)
            return true;
    }
    (void)fprintf(stderr, "tc-perf: plot: no plot.py in %s/%s nor in %s/%s\n", program,
                  folders[0], program, folders[1]);
    return false;
}

/* argv[0] is "plot". Returns the exit status only when the script could not be started. */
static int perf_plot(int argc, char **argv)
{
    char script[PERF_PATH_MAX + 64];
    char *arguments[ARGUMENTS_MAX + 1] = {(char[]){INTERPRETER}, (char[]){"-B"}, script};
    if (!find_script(script, sizeof script))
        return EXIT_FAILURE;
    if (argc + 2 > ARGUMENTS_MAX) {
        (void)fprintf(stderr, "tc-perf: plot: too many arguments\n");
        return 2;
    }
    memcpy(arguments + 3, argv + 1, (size_t)(argc - 1) * sizeof *argv);
    (void)execvp(INTERPRETER, arguments);
    (void)fprintf(stderr, "tc-perf: plot: " INTERPRETER ": %s%s\n", strerror(errno),
                  errno == ENOENT ? "; on Debian: apt-get install python3-matplotlib" : "");
    return EXIT_FAILURE;
}

static int be_member(int argc, char **argv)
{
    const perf_experiment *const *at = perf_experiments;
    while (*at != NULL && (*at)->member == NULL)
        at++;
    if (*at == NULL) {
        (void)fprintf(stderr, "tc-perf: member: this build has no experiment with servers\n");
        return 2;
    }
    perf_clock_init();
    return (*at)->member(argc, argv);
}

int main(int argc, char **argv)
{
    static perf_options options;
    if (argc > 1 && strcmp(argv[1], "plot") == 0)
        return perf_plot(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "member") == 0)
        return be_member(argc - 1, argv + 1);
    int result = perf_options_parse(&options, argc, argv);
    if (result != TOOL_GO_ON)
        return result;
    /* Before the fork, so that both processes and every mode see the same. */
    if (options.tls != NULL && setenv("UCX_TLS", options.tls, 1) != 0) {
        perror("tc-perf: UCX_TLS");
        return EXIT_FAILURE;
    }
    perf_clock_init();
    return options.experiment->run(&options);
}
