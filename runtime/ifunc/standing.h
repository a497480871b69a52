/* The standing of a function: its permissions here, by its signer and by the lists
 * (ifunc/trust.h). It is judged when the function comes to the registry, and again when trust
 * was read again.
 *
 * Every refusal is TC_E_REFUSED, and its text names the rule that the function breaks. */
#ifndef TCI_STANDING_H
#define TCI_STANDING_H

#include "ifunc/registry.h"

/* Checks code that a peer has announced: code that is certain to be refused need not be
 * requested. */
TC_MUST_CHECK tc_status tci_standing_check_section(const tci_registry *registry,
                                                   const tci_code_section *section,
                                                   tc_error *err);

/* Checks a copy that was not parsed yet: takes the signature that came with it, and verifies it
 * where one is required. Also TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_standing_check_bytes(tc_ifunc *fn, const tci_registry_code *code,
                                                 tc_error *err);

/* Judges the same code when its archive is open: sets standing, signer and signer_form. */
TC_MUST_CHECK tc_status tci_standing_judge_new(tc_ifunc *fn, const tci_registry_code *code,
                                               tc_error *err);

/* Judges a known function that comes again: takes the new signature if it is the first valid
 * one. */
TC_MUST_CHECK tc_status tci_standing_judge_known(tc_ifunc *fn, const tci_registry_code *code,
                                                 tc_error *err);

/* Sets standing, signer and signer_form again. TC_OK: it may run for peers. */
TC_MUST_CHECK tc_status tci_standing_judge(tc_ifunc *fn, tc_error *err);

/* Returns whether the key that it was judged by has ended since: then it has to be judged
 * again. The clock is read only for keys that end. */
bool tci_standing_has_ended(const tc_ifunc *fn);

/* Returns the digest of its archive's content. Computed once, since content is larger than
 * anything else that is hashed of it. The archive is open. */
const uint8_t *tci_standing_content(tc_ifunc *fn);

/* The section of the option symbols that it is bound under, or NULL without one. */
const tci_symbol_section *tci_standing_rules(const tc_ifunc *fn);

#endif
