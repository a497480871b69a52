#include "compile_wall.h"

#include "compile_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux 5.13, whose headers need not be those of the machine that this is built on. */
#define SYSCALL_CREATE_RULESET 444
#define SYSCALL_RESTRICT_SELF 446
#define ASK_VERSION 1u

/* problem: of errno; 0: it stands. */
static void note(tci_compile_wall *wall, tci_compile_wall_part part, int problem)
{
    char name[TCI_WALL_TEXT_MAX];
    size_t used = strlen(wall->missing);
    if (problem == 0)
        wall->parts |= part;
    else
        (void)snprintf(wall->missing + used, TCI_WALL_TEXT_MAX - used, "%s%s (%s)",
                       used > 0 ? ", " : "", tci_compile_wall_names(part, name),
                       strerror(problem));
}

/* --- parts -------------------------------------------------------------------------------- */

static int problem_of(long result)
{
    return result == 0 ? 0 : errno;
}

/* So that the lowest number that is free is the limit: a smaller one would be no limit for what
 * is open already. */
static int limit_descriptors(int last)
{
    (void)syscall(SYS_close_range, (unsigned)last + 1, ~0u, 0); /* Linux 5.9 */
    int lowest = fcntl(0, F_DUPFD_CLOEXEC, 0);
    if (lowest < 0)
        return errno;
    (void)close(lowest);
    const struct rlimit none = {(rlim_t)lowest, (rlim_t)lowest};
    return problem_of(setrlimit(RLIMIT_NOFILE, &none));
}

/* What a ruleset handles is forbidden but for its rules, and this one gets none. Each version
 * of Landlock's interface knows a few rights more than the one before. */
static int restrict_files(void)
{
    static const unsigned file_rights[] = {0, 13, 14, 15, 15, 16}; /* by version */
    struct {
        uint64_t files;
        uint64_t network; /* from version 4 on: binding and connecting TCP */
        uint64_t scopes;  /* from version 6 on: abstract sockets of others, signals to others */
    } rules = {0};
    long version = syscall(SYSCALL_CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
    if (version < 1)
        return version < 0 ? errno : ENOSYS;
    size_t known = sizeof file_rights / sizeof file_rights[0] - 1;
    size_t row = (size_t)version < known ? (size_t)version : known;
    rules.files = (1u << file_rights[row]) - 1;
    rules.network = version >= 4 ? 3 : 0;
    rules.scopes = version >= 6 ? 3 : 0;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int fd = (int)syscall(SYSCALL_CREATE_RULESET, &rules, size, 0u);
    if (fd < 0)
        return errno;
    int problem = problem_of(syscall(SYSCALL_RESTRICT_SELF, fd, 0u));
    (void)close(fd);
    return problem;
}

void tci_compile_wall_close(tci_compile_wall *wall)
{
    note(wall, TCI_WALL_PRIVILEGES, problem_of(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
    note(wall, TCI_WALL_DUMP, problem_of(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)));
    note(wall, TCI_WALL_LANDLOCK, restrict_files());
}

void tci_compile_wall_limit(tci_compile_wall *wall, int last)
{
    note(wall, TCI_WALL_DESCRIPTORS, limit_descriptors(last));
}

void tci_compile_wall_filter(tci_compile_wall *wall, int socket, int statm)
{
    note(wall, TCI_WALL_SYSTEM_CALLS, tci_compile_filter_set(socket, statm));
}
