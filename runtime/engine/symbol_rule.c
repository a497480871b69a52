#include "symbol_rule.h"

#include "symbol_pattern.h"

#include <string.h>

/* What reaches past any list of names: it finds others, makes memory executable, runs other
 * programs, asks the kernel for anything, or looks into other processes. */
static const char *const guarded_symbols[] = {
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlvsym",
    "__libc_dlopen_mode",
    "__libc_dlsym",
    "mmap",
    "mmap64",
    "mprotect",
    "pkey_mprotect",
    "mremap",
    "memfd_create",
    "shmat",
    "syscall",
    "system",
    "popen",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execveat",
    "execvp",
    "execvpe",
    "fexecve",
    "posix_spawn",
    "posix_spawnp",
    "wordexp",
    "fork",
    "_Fork",
    "vfork",
    "clone",
    "clone3",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
};

bool tci_symbol_rule_is_guarded(const char *symbol)
{
    for (size_t i = 0; i < sizeof guarded_symbols / sizeof guarded_symbols[0]; i++) {
        if (strcmp(guarded_symbols[i], symbol) == 0)
            return true;
    }
    return false;
}

const char *tci_symbol_rule_verb(const tci_symbol_rule *rule)
{
    return rule->allow ? "allow" : "deny";
}

/* A guarded symbol has to be named. */
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
