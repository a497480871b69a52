/* The rules of a policy as they are stored, and the judgement of a single rule. */
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
    const char *signer; /* NULL: signers without a section; "": unsigned code */
    size_t first;       /* index of the first of the policy's rules */
    size_t count;
    bool allow;            /* for symbols that no rule matches */
    unsigned default_line; /* 0: no default line */
    unsigned line;         /* of its heading */
};

struct tci_symbol_policy {
    char *text; /* the rules point into it */
    char name[512];
    size_t rule_count;
    size_t rule_room;     /* capacity of `rules` */
    size_t section_count; /* at least one, for signers without a section */
    tci_symbol_rule *rules;
    tci_symbol_section sections[TCI_SYMBOL_POLICY_SECTIONS_MAX];
};

/* "allow" or "deny". */
const char *tci_symbol_rule_verb(const tci_symbol_rule *rule);

/* Returns whether only a rule with the symbol's exact name may allow it. */
bool tci_symbol_rule_is_guarded(const char *symbol);

bool tci_symbol_rule_matches(const tci_symbol_rule *rule, const char *library,
                             const char *symbol);

/* Returns whether `earlier` decides every symbol that `later` is meant for. */
bool tci_symbol_rule_hides(const tci_symbol_rule *earlier, const tci_symbol_rule *later);

const tci_symbol_rule *tci_symbol_rule_at(const tci_symbol_section *section, size_t index);

/* Returns the section of that signer itself, or NULL. */
const tci_symbol_section *tci_symbol_rule_section(const tci_symbol_policy *policy,
                                                  const char *signer);

#endif
