#include "node_files.h"

#include "perf_context.h"
#include "perf_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Rules by docs/policy.md: the symbols of functions of ordinary size, and a few lines more. */
static const char rules[] =
    "allow @tchains tc_self_* tc_reply* tc_forward\n"
    "allow libc.so.6 mem* str* *printf qsort bsearch\n"
    "allow libc.so.6 malloc calloc realloc free abort\n"
    "allow libm.so.6 *\n"
    "allow libgcc_s.so.1 *\n"
    "allow @program *\n" /* where a sanitizer is: its *printf, mem*, str* */
    "default deny\n";

const char *node_files_path(const node_files *files, const char *name, char path[PERF_PATH_MAX])
{
    if (snprintf(path, PERF_PATH_MAX, "%.*s/%s", PERF_PATH_MAX / 2, files->folder, name) < 0)
        path[0] = '\0';
    return path;
}

/* --- programs that make some of them ------------------------------------------------------ */

/* Its output, and openssl's meanwhile, is useless in a measurement. */
static pid_t start(const char *program, char *const argv[], bool silent)
{
    extern char **environ;
    pid_t pid = -1;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    if (posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) !=
            0 ||
        (silent &&
         posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) != 0) ||
        posix_spawnp(&pid, program, &actions, NULL, argv, environ) != 0)
        pid = -1;
    (void)posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static bool run(const char *program, char *const argv[], bool silent)
{
    int status = -1;
    pid_t pid = start(program, argv, silent);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* A program that comes with tc-perf. */
static bool run_own(const node_files *files, const char *name, char *const argv[])
{
    char program[PERF_PATH_MAX + 16];
    (void)snprintf(program, sizeof program, "%s/%s", files->programs, name);
    if (run(program, argv, false))
        return true;
    (void)fprintf(stderr, "tc-perf: %s failed\n", program);
    return false;
}

static bool make_keys(const node_files *files)
{
    char shared[PERF_PATH_MAX], signing[PERF_PATH_MAX], public[PERF_PATH_MAX];
    char trust[PERF_PATH_MAX], trusted[PERF_PATH_MAX];
    char *make_key[] = {"tc-node", "--make-key", shared, NULL};
    char *keygen[] = {"tc-ar", "keygen", signing, NULL};
    (void)node_files_path(files, "shared", shared);
    (void)node_files_path(files, "signing", signing);
    (void)node_files_path(files, "signing.pub", public);
    (void)node_files_path(files, "trust", trust);
    (void)node_files_path(files, "trust/signing.pub", trusted);
    if (!run_own(files, "tc-node", make_key) || !run_own(files, "tc-ar", keygen))
        return false;
    if (mkdir(trust, 0700) == 0 && rename(public, trusted) == 0)
        return true;
    (void)fprintf(stderr, "tc-perf: %s: %s\n", trusted, strerror(errno));
    return false;
}

/* One that has signed itself: both sides show it, and both believe it. */
static bool make_certificate(const node_files *files)
{
    char key[PERF_PATH_MAX], certificate[PERF_PATH_MAX];
    char *argv[] = {"openssl",     "req",     "-batch",   "-x509",
                    "-newkey",     "ec",      "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes",      "-days",   "30",       "-subj",
                    "/CN=tc-perf", "-keyout", key,        "-out",
                    certificate,   NULL};
    (void)node_files_path(files, "certificate.key", key);
    (void)node_files_path(files, "certificate", certificate);
    return run("openssl", argv, true) && chmod(key, 0600) == 0;
}

/* --- functions ---------------------------------------------------------------------------- */

static bool write_copy(const node_files *files, const char *name, const char *deps)
{
    char file[64];
    (void)snprintf(file, sizeof file, "%s.tca", name);
    if (!perf_folder_write(files->folder, file, files->archive, files->archive_size))
        return false;
    (void)snprintf(file, sizeof file, "%s.deps", name);
    return *deps == '\0' || perf_folder_write(files->folder, file, deps, strlen(deps));
}

/* All by one process. */
static bool sign(const node_files *files, unsigned copies)
{
    char key[PERF_PATH_MAX], name[64];
    char(*paths)[PERF_PATH_MAX] = malloc((copies + 1) * sizeof *paths);
    char **argv = calloc(copies + 6, sizeof *argv);
    unsigned at = 0;
    bool ok = paths != NULL && argv != NULL;
    if (ok) {
        argv[at++] = "tc-ar";
        argv[at++] = "sign";
        argv[at++] = "--key";
        argv[at++] = (char *)node_files_path(files, "signing.key", key);
        argv[at++] = (char *)node_files_path(files, "visit.tca", paths[copies]);
        for (unsigned i = 0; i < copies; i++) {
            (void)snprintf(name, sizeof name, "visit%u.tca", i);
            argv[at++] = (char *)node_files_path(files, name, paths[i]);
        }
        ok = run_own(files, "tc-ar", argv);
    }
    free(paths);
    free(argv);
    return ok;
}

static bool make_functions(node_files *files, const perf_options *options, unsigned copies)
{
    char name[32], deps[32];
    files->archive_size = perf_context_read_archive(options->ifunc_path, "visit",
                                                    files->archive, sizeof files->archive);
    if (files->archive_size == 0) {
        (void)fprintf(stderr, "tc-perf: cannot read visit.tca\n");
        return false;
    }
    bool ok = write_copy(files, "visit", "");
    for (unsigned i = 0; ok && i < copies; i++) {
        (void)snprintf(name, sizeof name, "visit%u", i);
        (void)snprintf(deps, sizeof deps, "# %u\n", i);
        ok = write_copy(files, name, deps);
    }
    return ok && sign(files, copies);
}

bool node_files_make(node_files *files, const perf_options *options, unsigned copies)
{
    files->folder[0] = '\0';
    if (!perf_options_program_folder(files->programs) ||
        !perf_folder_make(files->folder, PERF_PATH_MAX / 2)) {
        files->folder[0] = '\0';
        return false;
    }
    files->has_certificate = make_certificate(files);
    return make_keys(files) && make_functions(files, options, copies) &&
           perf_folder_write(files->folder, "rules", rules, sizeof rules - 1);
}

void node_files_remove(node_files *files)
{
    if (files->folder[0] != '\0')
        perf_folder_remove(files->folder);
    files->folder[0] = '\0';
}
