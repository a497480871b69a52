/* Reads a policy line by line. A rule that an earlier rule of its section hides is refused. */
#include "policy_reader.h"

#include "base/error_text.h"
#include "engine/library_set.h"
#include "policy_lines.h"

#include <stdlib.h>
#include <string.h>

#define RULES_AT_FIRST 16u

typedef struct reading {
    tci_symbol_policy *policy;
    tci_policy_lines lines;
    tc_error *err;
} reading;

static tci_symbol_section *current(const reading *in)
{
    return &in->policy->sections[in->policy->section_count - 1];
}

#define REFUSE(in, ...)                                                                        \
    tci_policy_lines_refuse((in)->policy->name, (in)->lines.number, (in)->err, __VA_ARGS__)

static tc_status check_rule(const reading *in, const tci_symbol_rule *r)
{
    const tci_symbol_section *section = current(in);
    for (size_t i = 0; i < section->count; i++) {
        const tci_symbol_rule *other = tci_symbol_rule_at(section, i);
        if (!tci_symbol_rule_hides(other, r))
            continue;
        bool same =
            strcmp(other->library, r->library) == 0 && strcmp(other->symbol, r->symbol) == 0;
        const char *what = !same                      ? "is never reached after"
                           : other->allow == r->allow ? "repeats"
                                                      : "contradicts";
        return REFUSE(in, "'%s %s %s' %s '%s %s %s' of line %u", tci_symbol_rule_verb(r),
                      r->library, r->symbol, what, tci_symbol_rule_verb(other), other->library,
                      other->symbol, other->line);
    }
    return TC_OK;
}

/* Doubles the array, up to TCI_SYMBOL_POLICY_RULES_MAX, which is RULES_AT_FIRST doubled several
 * times. */
static tc_status make_room(const reading *in)
{
    tci_symbol_policy *policy = in->policy;
    if (policy->rule_count < policy->rule_room)
        return TC_OK;
    size_t capacity = policy->rule_room > 0 ? 2 * policy->rule_room : RULES_AT_FIRST;
    /* bound: TCI_SYMBOL_POLICY_RULES_MAX */
    tci_symbol_rule *rules = realloc(policy->rules, capacity * sizeof *rules);
    if (rules == NULL)
        return tci_error_set(in->err, TC_E_NO_MEMORY, "%s: out of memory", policy->name);
    policy->rules = rules;
    policy->rule_room = capacity;
    return TC_OK;
}

static tc_status add_rule(const reading *in, const tci_symbol_rule *r)
{
    tci_symbol_policy *policy = in->policy;
    if (policy->rule_count == TCI_SYMBOL_POLICY_RULES_MAX)
        return tci_error_set(in->err, TC_E_TOO_LARGE, "%s line %u: more than %u rules",
                             policy->name, r->line, TCI_SYMBOL_POLICY_RULES_MAX);
    TC_TRY(check_rule(in, r));
    TC_TRY(make_room(in));
    policy->rules[policy->rule_count++] = *r;
    current(in)->count++;
    return TC_OK;
}

static bool is_pattern(const char *word)
{
    for (const char *c = word; *c != '\0'; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!letter && !(*c >= '0' && *c <= '9') && strchr("._+-$*?", *c) == NULL)
            return false;
    }
    return strlen(word) <= TCI_SYMBOL_POLICY_WORD_MAX;
}

static bool is_library(const char *word)
{
    const size_t prefix = strlen(TCI_LIBRARY_PREFIX);
    if (strncmp(word, TCI_LIBRARY_PREFIX, prefix) == 0) /* one that comes by messages */
        return word[prefix] != '\0' && is_pattern(word + prefix);
    return strcmp(word, TCI_LIBRARY_PROGRAM) == 0 || strcmp(word, TCI_LIBRARY_TCHAINS) == 0 ||
           is_pattern(word);
}

/* "allow libm.so.6 sin cos*" */
static tc_status read_rules(reading *in, bool allow)
{
    tci_symbol_rule r = {.allow = allow, .line = in->lines.number};
    r.library = tci_policy_lines_word(&in->lines);
    if (r.library == NULL || !is_library(r.library))
        return REFUSE(in,
                      "'%.80s' is no library: a name, a pattern, " TCI_LIBRARY_PROGRAM
                      " or " TCI_LIBRARY_TCHAINS " was expected",
                      r.library != NULL ? r.library : "");
    r.symbol = tci_policy_lines_word(&in->lines);
    if (r.symbol == NULL)
        return REFUSE(in, "'%s %s' names no symbol", tci_symbol_rule_verb(&r), r.library);
    for (; r.symbol != NULL; r.symbol = tci_policy_lines_word(&in->lines)) {
        if (!is_pattern(r.symbol))
            return REFUSE(in, "'%.80s' is no symbol or pattern", r.symbol);
        TC_TRY(add_rule(in, &r));
    }
    return TC_OK;
}

static tc_status read_default(reading *in)
{
    tci_symbol_section *section = current(in);
    const char *word = tci_policy_lines_word(&in->lines);
    bool allow = word != NULL && strcmp(word, "allow") == 0;
    if (word == NULL || (!allow && strcmp(word, "deny") != 0) ||
        tci_policy_lines_word(&in->lines) != NULL)
        return REFUSE(in, "expected 'default allow' or 'default deny'");
    if (section->default_line > 0)
        return REFUSE(in, "a second default, after line %u", section->default_line);
    section->allow = allow;
    section->default_line = in->lines.number;
    return TC_OK;
}

static tc_status add_section(reading *in, const char *signer)
{
    tci_symbol_policy *policy = in->policy;
    const tci_symbol_section *same =
        signer != NULL ? tci_symbol_rule_section(policy, signer) : NULL;
    if (same != NULL)
        return REFUSE(in, "this section began already at line %u", same->line);
    if (policy->section_count == TCI_SYMBOL_POLICY_SECTIONS_MAX)
        return tci_error_set(in->err, TC_E_TOO_LARGE, "%s line %u: more than %u sections",
                             policy->name, in->lines.number, TCI_SYMBOL_POLICY_SECTIONS_MAX);
    policy->sections[policy->section_count++] =
        (tci_symbol_section){.policy = policy,
                             .signer = signer,
                             .first = policy->rule_count,
                             .line = in->lines.number};
    return TC_OK;
}

/* "[unsigned]", "[signer NAME]" */
static tc_status read_head(reading *in, const char *word)
{
    char *signer = tci_policy_lines_rest(&in->lines);
    size_t size = strlen(signer);
    if (strcmp(word, "[unsigned]") == 0 && size == 0)
        return add_section(in, "");
    if (strcmp(word, "[signer") != 0 || size < 2 || signer[size - 1] != ']' ||
        strcspn(signer, "[]") != size - 1)
        return REFUSE(in, "expected [unsigned] or [signer NAME]");
    signer[size - 1] = '\0';
    return add_section(in, signer);
}

static tc_status read_line(reading *in)
{
    const char *word = tci_policy_lines_word(&in->lines);
    if (word == NULL)
        return TC_OK;
    if (word[0] == '[')
        return read_head(in, word);
    if (strcmp(word, "default") == 0)
        return read_default(in);
    if (strcmp(word, "allow") == 0 || strcmp(word, "deny") == 0)
        return read_rules(in, word[0] == 'a');
    return REFUSE(in, "'%.80s' was found, expected allow, deny, default or [...]", word);
}

tc_status tci_policy_reader_run(tci_symbol_policy *policy, tc_error *err)
{
    reading in = {.policy = policy, .lines = {.rest = policy->text}, .err = err};
    TC_TRY(add_section(&in, NULL));
    while (tci_policy_lines_next(&in.lines))
        TC_TRY(read_line(&in));
    return TC_OK;
}
