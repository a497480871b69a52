/* Rules of a policy, as they are kept, and what a rule alone says. */
#ifndef TCI_SYMBOL_RULE_H
#define TCI_SYMBOL_RULE_H

#include "engine/symbol_policy.h"

typedef struct tci_symbol_rule {
    bool allow;
    const char *library;
    const char *symbol;
    unsigned line;
} tci_symbol_rule;

struct tci_symbol_section {
    const tci_symbol_policy *policy;
    const char *signer; /* NULL: of who has no section; "": of what nobody signed */
    size_t first;       /* of the policy's rules */
    size_t count;
    bool allow;            /* what no rule matches */
    unsigned default_line; /* 0: no line says so */
    unsigned line;         /* of its head */
};

struct tci_symbol_policy {
    char *text; /* which rules point into */
    char name[512];
    size_t rule_count;
    size_t rule_room;     /* of `rules` */
    size_t section_count; /* at least one, of who has no section */
    tci_symbol_rule *rules;
    tci_symbol_section sections[TCI_SYMBOL_POLICY_SECTIONS_MAX];
};

/* "allow" or "deny". */
const char *tci_symbol_rule_verb(const tci_symbol_rule *rule);

/* Only a rule with their very name allows them. */
bool tci_symbol_rule_is_guarded(const char *symbol);

bool tci_symbol_rule_matches(const tci_symbol_rule *rule, const char *library,
                             const char *symbol);

/* Every symbol that `later` is meant for belongs to `earlier`. */
bool tci_symbol_rule_hides(const tci_symbol_rule *earlier, const tci_symbol_rule *later);

const tci_symbol_rule *tci_symbol_rule_at(const tci_symbol_section *section, size_t index);

/* The section of that signer itself, or NULL. */
const tci_symbol_section *tci_symbol_rule_section(const tci_symbol_policy *policy,
                                                  const char *signer);

#endif
