/* A policy limits the symbols that code may bind: rules by library and symbol, for each signer
 * of code. docs/policy.md has the format.
 *
 * A policy is parsed once and then only read, by any thread. It judges names; symbol_owner.h
 * finds the library of a symbol, and symbols.c asks the policy. */
#ifndef TCI_SYMBOL_POLICY_H
#define TCI_SYMBOL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <tc/status.h>

#define TCI_SYMBOL_POLICY_BYTES_MAX (1u << 20)
#define TCI_SYMBOL_POLICY_RULES_MAX 4096u
#define TCI_SYMBOL_POLICY_SECTIONS_MAX 256u
#define TCI_SYMBOL_POLICY_WORD_MAX 255u /* bytes of a pattern */
#define TCI_SYMBOL_POLICY_REASON_MAX 700u

/* Names of libraries that are no files. */
#define TCI_LIBRARY_PROGRAM "@program" /* the process's own program */
#define TCI_LIBRARY_TCHAINS "@tchains" /* the symbols that this library offers to functions */
#define TCI_LIBRARY_UNKNOWN "@unknown" /* symbols that no loaded file defines */

typedef struct tci_symbol_policy tci_symbol_policy;
typedef struct tci_symbol_section tci_symbol_section;

/* `name` is the file's, for error texts. TC_E_INVALID: the text has file, line and rule, also
 * for rules that contradict each other or are never reached. TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_symbol_policy_parse(const char *name, const char *text, size_t size,
                                                tci_symbol_policy **policy_out, tc_error *err);

/* Opens the policy of the option `symbols`: "@FILE", or "" for no policy, which gives NULL. The
 * file must be this user's or root's, and no other user may write to it: TC_E_INVALID.
 * TC_E_NOT_FOUND, TC_E_IO. */
TC_MUST_CHECK tc_status tci_symbol_policy_open(const char *option,
                                               tci_symbol_policy **policy_out, tc_error *err);
/* NULL is allowed. */
void tci_symbol_policy_close(tci_symbol_policy *policy);

/* Returns the rules for code of that signer; "": unsigned code. Valid while the policy is. */
const tci_symbol_section *tci_symbol_policy_section(const tci_symbol_policy *policy,
                                                    const char *signer);

/* The end of an error text: "FILE line 4: deny * dl*". */
typedef struct tci_symbol_reason {
    char text[TCI_SYMBOL_POLICY_REASON_MAX];
} tci_symbol_reason;

/* Returns whether a function may bind that symbol of that library; if not, gives the reason. */
bool tci_symbol_policy_allows(const tci_symbol_section *section, const char *library,
                              const char *symbol, tci_symbol_reason *reason_out);

/* Returns whether a function may have that library opened, which runs the library's
 * constructors: it may bind some symbol of it. */
bool tci_symbol_policy_opens(const tci_symbol_section *section, const char *library,
                             tci_symbol_reason *reason_out);

/* For an allowed symbol that has another name: returns whether a rule denies exactly that name,
 * or it is guarded, and no rule allows `symbol` by its own name. */
bool tci_symbol_policy_denies_alias(const tci_symbol_section *section, const char *library,
                                    const char *symbol, const char *alias,
                                    tci_symbol_reason *reason_out);

#endif
