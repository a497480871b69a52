/* The first rule that matches a symbol judges it. Without one, a guarded symbol is denied, and
 * any other follows the default of its section. */
#include "symbol_policy.h"

#include "base/error_text.h"
#include "base/file_guard.h"
#include "policy_reader.h"
#include "symbol_pattern.h"
#include "symbol_rule.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tci_symbol_rule *find_rule(const tci_symbol_section *section, const char *library,
                                        const char *symbol)
{
    for (size_t i = 0; i < section->count; i++) {
        const tci_symbol_rule *r = tci_symbol_rule_at(section, i);
        if (tci_symbol_rule_matches(r, library, symbol))
            return r;
    }
    return NULL;
}

/* --- reasons ----------------------------------------------------------------------------- */

static void explain_rule(const tci_symbol_section *section, const tci_symbol_rule *r,
                         tci_symbol_reason *reason)
{
    (void)snprintf(reason->text, sizeof reason->text, "%s line %u: %s %s %s",
                   section->policy->name, r->line, tci_symbol_rule_verb(r), r->library,
                   r->symbol);
}

static void explain_guarded(const tci_symbol_section *section, const char *symbol,
                            tci_symbol_reason *reason)
{
    (void)snprintf(reason->text, sizeof reason->text,
                   "%s does not allow it by name (allow LIBRARY %s)", section->policy->name,
                   symbol);
}

static void explain_default(const tci_symbol_section *section, tci_symbol_reason *reason)
{
    const char *name = section->policy->name;
    if (section->default_line > 0)
        (void)snprintf(reason->text, sizeof reason->text, "%s line %u: default deny", name,
                       section->default_line);
    else if (section->signer == NULL)
        (void)snprintf(reason->text, sizeof reason->text, "%s has no rule that allows it",
                       name);
    else
        (void)snprintf(reason->text, sizeof reason->text,
                       "%s line %u: section [%s%s] has no rule that allows it", name,
                       section->line, *section->signer != '\0' ? "signer " : "unsigned",
                       section->signer);
}

/* --- judging ----------------------------------------------------------------------------- */

bool tci_symbol_policy_allows(const tci_symbol_section *section, const char *library,
                              const char *symbol, tci_symbol_reason *reason_out)
{
    const tci_symbol_rule *r = find_rule(section, library, symbol);
    if (r != NULL && r->allow)
        return true;
    if (r != NULL)
        explain_rule(section, r, reason_out);
    else if (tci_symbol_rule_is_guarded(symbol))
        explain_guarded(section, symbol, reason_out);
    else if (section->allow)
        return true;
    else
        explain_default(section, reason_out);
    return false;
}

bool tci_symbol_policy_opens(const tci_symbol_section *section, const char *library,
                             tci_symbol_reason *reason_out)
{
    for (size_t i = 0; i < section->count; i++) {
        const tci_symbol_rule *r = tci_symbol_rule_at(section, i);
        if (!tci_symbol_pattern_matches_library(r->library, library))
            continue;
        if (r->allow)
            return true;
        if (tci_symbol_pattern_covers(r->symbol, "*")) {
            explain_rule(section, r, reason_out);
            return false;
        }
    }
    if (!section->allow)
        explain_default(section, reason_out);
    return section->allow;
}

bool tci_symbol_policy_denies_alias(const tci_symbol_section *section, const char *library,
                                    const char *symbol, const char *alias,
                                    tci_symbol_reason *reason_out)
{
    const tci_symbol_rule *own = find_rule(section, library, symbol);
    if (own != NULL && tci_symbol_pattern_is_name(own->symbol))
        return false;
    const tci_symbol_rule *r = find_rule(section, library, alias);
    if (r != NULL && !r->allow && tci_symbol_pattern_is_name(r->symbol))
        explain_rule(section, r, reason_out);
    else if (tci_symbol_rule_is_guarded(alias) && (r == NULL || !r->allow))
        explain_guarded(section, alias, reason_out);
    else
        return false;
    return true;
}

const tci_symbol_section *tci_symbol_policy_section(const tci_symbol_policy *policy,
                                                    const char *signer)
{
    const tci_symbol_section *section = tci_symbol_rule_section(policy, signer);
    return section != NULL ? section : &policy->sections[0];
}

/* --- reading ----------------------------------------------------------------------------- */

tc_status tci_symbol_policy_parse(const char *name, const char *text, size_t size,
                                  tci_symbol_policy **policy_out, tc_error *err)
{
    if (size > TCI_SYMBOL_POLICY_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: %zu bytes, expected at most %u", name,
                             size, TCI_SYMBOL_POLICY_BYTES_MAX);
    if (memchr(text, '\0', size) != NULL)
        return tci_error_set(err, TC_E_INVALID, "%s: a zero byte, expected text", name);
    tci_symbol_policy *policy = calloc(1, sizeof *policy);
    if (policy != NULL)
        policy->text = malloc(size + 1);
    if (policy == NULL || policy->text == NULL) {
        tci_symbol_policy_close(policy);
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    }
    memcpy(policy->text, text, size);
    policy->text[size] = '\0';
    (void)snprintf(policy->name, sizeof policy->name, "%s", name);
    tc_status status = tci_policy_reader_run(policy, err);
    if (status != TC_OK) {
        tci_symbol_policy_close(policy);
        return status;
    }
    *policy_out = policy;
    return TC_OK;
}

tc_status tci_symbol_policy_open(const char *option, tci_symbol_policy **policy_out,
                                 tc_error *err)
{
    char *text;
    size_t size;
    const char *path = option + 1;
    *policy_out = NULL;
    if (option[0] == '\0')
        return TC_OK;
    if (option[0] != '@')
        return tci_error_set(err, TC_E_INVALID, "option symbols: '%s', expected @FILE", option);
    tc_status status = tci_file_guard_read(AT_FDCWD, path, path, TCI_GUARD_TRUSTED,
                                           TCI_SYMBOL_POLICY_BYTES_MAX, &text, &size, err);
    if (status == TC_OK) {
        status = tci_symbol_policy_parse(path, text, size, policy_out, err);
        free(text);
    }
    if (status != TC_OK)
        tci_error_prefix(err, "option symbols");
    return status;
}

void tci_symbol_policy_close(tci_symbol_policy *policy)
{
    if (policy == NULL)
        return;
    free(policy->rules);
    free(policy->text);
    free(policy);
}
