/* Parses a policy's text into rules in sections. docs/policy.md has the grammar. */
#ifndef TCI_POLICY_READER_H
#define TCI_POLICY_READER_H

#include "engine/symbol_rule.h"

/* Fills an empty policy from its own text, which it splits within its buffer. TC_E_INVALID,
 * TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_policy_reader_run(tci_symbol_policy *policy, tc_error *err);

#endif
