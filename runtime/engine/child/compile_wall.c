/* Each part is tried by itself: note() records that it stands, or why it does not. */
#include "compile_wall.h"

#include "base/landlock.h"
#include "compile_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* `problem` is an errno value; 0: the part stands. */
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

/* Closes descriptors above `last` and makes the lowest free number the limit: a smaller one
 * would not limit descriptors that are open already. */
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

static int restrict_files(void)
{
    return tci_landlock_forbid(
        (tci_landlock_rules){.files = TCI_LANDLOCK_ALL_FILES,
                             .network = TCI_LANDLOCK_BIND_TCP | TCI_LANDLOCK_CONNECT_TCP,
                             .scopes = TCI_LANDLOCK_ABSTRACT_SOCKETS | TCI_LANDLOCK_SIGNALS});
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
