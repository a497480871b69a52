/* Landlock: takes rights away from a thread and from those that it starts. Rules are for files,
 * TCP and scopes; each version of the interface supports a few more than the one before.
 * Source: landlock(7). */
#ifndef TCI_LANDLOCK_H
#define TCI_LANDLOCK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 5.13; the headers of the build machine may be older. */
#define TCI_LANDLOCK_CREATE_RULESET 444
#define TCI_LANDLOCK_RESTRICT_SELF 446
#define TCI_LANDLOCK_ASK_VERSION 1u

#define TCI_LANDLOCK_ALL_FILES UINT64_MAX
/* Since version 4, Linux 6.7. */
#define TCI_LANDLOCK_BIND_TCP 1u
#define TCI_LANDLOCK_CONNECT_TCP 2u
/* Since version 6, Linux 6.12: abstract sockets and signals of processes outside the restricted
 * domain. */
#define TCI_LANDLOCK_ABSTRACT_SOCKETS 1u
#define TCI_LANDLOCK_SIGNALS 2u

typedef struct tci_landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
} tci_landlock_rules;

/* Returns the size of the rules that a version supports. */
static inline size_t tci_landlock_rules_size(long version)
{
    return version >= 6 ? 24 : version >= 4 ? 16 : 8;
}

static inline void tci_landlock_keep_known(tci_landlock_rules *rules, long version)
{
    static const unsigned file_rights[] = {0, 13, 14, 15, 15, 16}; /* by version */
    const size_t known = sizeof file_rights / sizeof file_rights[0] - 1;
    const size_t row = (size_t)version < known ? (size_t)version : known;
    rules->files &= (1u << file_rights[row]) - 1;
    rules->network &= version >= 4 ? TCI_LANDLOCK_BIND_TCP | TCI_LANDLOCK_CONNECT_TCP : 0;
    rules->scopes &= version >= 6 ? TCI_LANDLOCK_ABSTRACT_SOCKETS | TCI_LANDLOCK_SIGNALS : 0;
}

/* Forbids the accesses that the rules name, as far as the kernel supports them. The thread must
 * be unable to gain privileges (PR_SET_NO_NEW_PRIVS). Returns 0 or an errno; ENOSYS when the
 * kernel supports no rule. */
static inline int tci_landlock_forbid(tci_landlock_rules rules)
{
    long version =
        syscall(TCI_LANDLOCK_CREATE_RULESET, NULL, (size_t)0, TCI_LANDLOCK_ASK_VERSION);
    if (version < 1)
        return version < 0 ? errno : ENOSYS;
    tci_landlock_keep_known(&rules, version);
    if (rules.files == 0 && rules.network == 0 && rules.scopes == 0)
        return ENOSYS;
    int fd =
        (int)syscall(TCI_LANDLOCK_CREATE_RULESET, &rules, tci_landlock_rules_size(version), 0u);
    if (fd < 0)
        return errno;
    int problem = syscall(TCI_LANDLOCK_RESTRICT_SELF, fd, 0u) == 0 ? 0 : errno;
    (void)close(fd);
    return problem;
}

#endif
