/* What a function may do here, by who signed it and by the lists (ifunc/trust.h). It is judged
 * when the function comes to the registry, and again when trust was read once more.
 *
 * Every refusal is TC_E_REFUSED, and its text says which rule the function breaks. */
#ifndef TCI_STANDING_H
#define TCI_STANDING_H

#include "ifunc/registry.h"

/* Of code that a peer has announced: what is bound to be refused need not be asked for. */
TC_MUST_CHECK tc_status tci_standing_check_section(const tci_registry *registry,
                                                   const tci_code_section *section,
                                                   tc_error *err);

/* Of a copy that nobody has read yet: takes the signature that came with it, and where one is
 * required of it, verifies that. Also TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_standing_check_bytes(tc_ifunc *fn, const tci_registry_code *code,
                                                 tc_error *err);

/* Of the same when its archive is open: sets standing, signer and signer_form. */
TC_MUST_CHECK tc_status tci_standing_judge_new(tc_ifunc *fn, const tci_registry_code *code,
                                               tc_error *err);

/* Of a function that comes once more: takes the signature if it brings the first one that is
 * believed. */
TC_MUST_CHECK tc_status tci_standing_judge_known(tc_ifunc *fn, const tci_registry_code *code,
                                                 tc_error *err);

/* Sets standing, signer and signer_form once more. TC_OK: for peers, it may run. */
TC_MUST_CHECK tc_status tci_standing_judge(tc_ifunc *fn, tc_error *err);

/* Whether the key that it was judged by has ended since: then it is to be judged again. The clock
 * is asked of keys that end, and of no others. */
bool tci_standing_has_ended(const tc_ifunc *fn);

/* The digest of what its archive holds: made once, since content is larger than anything else that
 * is hashed of it. The archive is open. */
const uint8_t *tci_standing_content(tc_ifunc *fn);

/* The section of the option symbols that it is bound under, or NULL without one. */
const tci_symbol_section *tci_standing_rules(const tc_ifunc *fn);

#endif
