/* gnuplot draws; it is started without a shell, reads its script from an unnamed file and
 * writes straight into the result. */
#include "perf_plot.h"

#include "plot_chart.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLOTTER "gnuplot"
#define PLOTTER_PACKAGE "gnuplot-nox"

extern char **environ;

static bool complain(const char *path, const char *what)
{
    (void)fprintf(stderr, "tc-perf: plot: %s: %s\n", path, what);
    return false;
}

static bool parse(int argc, char **argv, const char **input_out, const char **output_out,
                  const char **title_out)
{
    *input_out = *output_out = *title_out = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && *output_out == NULL)
            *output_out = argv[++i];
        else if (strcmp(argv[i], "-t") == 0 && i + 1 < argc && *title_out == NULL)
            *title_out = argv[++i];
        else if (*argv[i] != '-' && *input_out == NULL)
            *input_out = argv[i];
        else
            return false;
    }
    return *input_out != NULL && *output_out != NULL;
}

static int spawn_plotter(FILE *script, int output, pid_t *pid_out)
{
    char *const arguments[] = {(char[]){PLOTTER}, (char[]){"-"}, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawnp(pid_out, PLOTTER, &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool run_plotter(FILE *script, int output)
{
    pid_t pid;
    int status;
    /* The child shares the file's position. */
    if (lseek(fileno(script), 0, SEEK_SET) != 0)
        return complain("script", strerror(errno));
    int error = spawn_plotter(script, output, &pid);
    if (error == ENOENT)
        return complain(PLOTTER, "not found; on Debian: apt-get install " PLOTTER_PACKAGE);
    if (error != 0)
        return complain(PLOTTER, strerror(error));
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return complain(PLOTTER, strerror(errno));
    }
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || complain(PLOTTER, "failed");
}

static bool draw(FILE *script, const char *path)
{
    int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output < 0)
        return complain(path, strerror(errno));
    bool ok = run_plotter(script, output);
    if (close(output) != 0 && ok)
        ok = complain(path, strerror(errno));
    if (!ok)
        (void)unlink(path);
    return ok;
}

static bool plot(const char *input, const char *output, const char *title)
{
    json_error_t error;
    json_t *report = json_load_file(input, JSON_REJECT_DUPLICATES, &error);
    if (report == NULL)
        return complain(input, error.text);
    FILE *script = tmpfile();
    bool ok = script != NULL ? plot_chart_write(script, report, title) && draw(script, output)
                             : complain("temporary file", strerror(errno));
    if (script != NULL)
        (void)fclose(script);
    json_decref(report);
    return ok;
}

int perf_plot(int argc, char **argv)
{
    const char *input, *output, *title;
    if (!parse(argc, argv, &input, &output, &title)) {
        (void)fprintf(stderr, "usage: tc-perf plot FILE.json -o FILE.svg [-t TITLE]\n");
        return 2;
    }
    return plot(input, output, title) ? EXIT_SUCCESS : EXIT_FAILURE;
}
