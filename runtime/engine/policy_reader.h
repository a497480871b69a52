/* A policy's text to rules in sections. docs/policy.md has the grammar. */
#ifndef TCI_POLICY_READER_H
#define TCI_POLICY_READER_H

#include "engine/symbol_rule.h"

/* Fills an empty policy from its own text, in place. TC_E_INVALID, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_policy_reader_run(tci_symbol_policy *policy, tc_error *err);

#endif
