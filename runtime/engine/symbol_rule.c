#include "symbol_rule.h"

#include "symbol_pattern.h"

#include <string.h>

/* Symbols that reach past any list of names; docs/policy.md has the same list. A test compares
 * both with the exports of the C library (tests/layout/check_guarded_symbols.py). */
static const char *const guarded_symbols[] = {
    /* Find other symbols, or expose data of the dynamic linker. */
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlvsym",
    "dladdr",
    "dladdr1",
    "dlinfo",
    "dl_iterate_phdr",
    "__libc_dlopen_mode",
    "__libc_dlsym",
    "__libc_dlvsym",
    "_dl_*",
    "_rtld_*",
    "__nptl_rtld_global",
    "_r_debug",
    /* Make memory executable, or map it. */
    "mmap",
    "mmap64",
    "__mmap",
    "mprotect",
    "__mprotect",
    "pkey_mprotect",
    "mremap",
    "__mremap",
    "remap_file_pages",
    "memfd_create",
    "shmat",
    "uselib",
    "arch_prctl",
    "__arch_prctl",
    "modify_ldt",
    /* Start programs or processes, here or on another host. */
    "system",
    "__libc_system",
    "popen",
    "_IO_popen",
    "_IO_proc_open",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "__execve",
    "execveat",
    "execvp",
    "execvpe",
    "fexecve",
    "posix_spawn",
    "__posix_spawn",
    "posix_spawnp",
    "__posix_spawnp",
    "pidfd_spawn",
    "pidfd_spawnp",
    "wordexp",
    "fork",
    "__fork",
    "__libc_fork",
    "_Fork",
    "vfork",
    "__vfork",
    "__libc_vfork",
    "clone",
    "__clone",
    "clone3",
    "__clone3",
    "forkpty",
    "daemon",
    "rexec",
    "rexec_af",
    "rcmd",
    "rcmd_af",
    /* Ask the kernel for anything. */
    "syscall",
    "prctl",
    "ioperm",
    "iopl",
    /* Reach into other processes. */
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "pidfd_open",
    "pidfd_getfd",
    "pidfd_send_signal",
    /* Change the process's surroundings, or the machine. */
    "setns",
    "unshare",
    "chroot",
    "pivot_root",
    "personality",
    "capset",
    "mount",
    "umount",
    "umount2",
    "move_mount",
    "mount_setattr",
    "open_tree",
    "open_tree_attr",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "open_by_handle_at",
    "init_module",
    "delete_module",
    "create_module",
    "query_module",
    "get_kernel_syms",
    "nfsservctl",
    "acct",
    "quotactl",
    "reboot",
    "swapon",
    "swapoff",
    "sethostname",
    "setdomainname",
    "settimeofday",
    "clock_settime",
    "stime",
    "adjtime",
    "adjtimex",
    "__adjtimex",
    "ntp_adjtime",
    "clock_adjtime",
};

bool tci_symbol_rule_is_guarded(const char *symbol)
{
    for (size_t i = 0; i < sizeof guarded_symbols / sizeof guarded_symbols[0]; i++) {
        if (tci_symbol_pattern_matches(guarded_symbols[i], symbol))
            return tci_symbol_pattern_is_name(symbol);
    }
    return false;
}

const char *tci_symbol_rule_verb(const tci_symbol_rule *rule)
{
    return rule->allow ? "allow" : "deny";
}

/* Returns whether the rule's symbol may match: a guarded symbol is allowed by its name
 * alone. */
static bool reaches(const tci_symbol_rule *rule, const char *symbol)
{
    return !rule->allow || tci_symbol_pattern_is_name(rule->symbol) ||
           !tci_symbol_rule_is_guarded(symbol);
}

bool tci_symbol_rule_matches(const tci_symbol_rule *rule, const char *library,
                             const char *symbol)
{
    return tci_symbol_pattern_matches_library(rule->library, library) &&
           tci_symbol_pattern_matches(rule->symbol, symbol) && reaches(rule, symbol);
}

bool tci_symbol_rule_hides(const tci_symbol_rule *earlier, const tci_symbol_rule *later)
{
    return tci_symbol_pattern_covers_library(earlier->library, later->library) &&
           tci_symbol_pattern_covers(earlier->symbol, later->symbol) &&
           reaches(earlier, later->symbol);
}

const tci_symbol_rule *tci_symbol_rule_at(const tci_symbol_section *section, size_t index)
{
    return &section->policy->rules[section->first + index];
}

const tci_symbol_section *tci_symbol_rule_section(const tci_symbol_policy *policy,
                                                  const char *signer)
{
    for (size_t i = 1; i < policy->section_count; i++) {
        if (strcmp(policy->sections[i].signer, signer) == 0)
            return &policy->sections[i];
    }
    return NULL;
}
