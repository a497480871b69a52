/* The standing of a function: its permissions here, by its signer and by the lists
 * (trust.h). It is judged when the function comes to the registry, and again when trust
 * was read again. The functions are those of tci_trust_ops, where their contract is. */
#ifndef TCI_STANDING_H
#define TCI_STANDING_H

#include "modules/trust/code_signature.h"
#include "ifunc/trust_ops.h"

TC_MUST_CHECK tc_status tci_standing_check_section(const tci_registry *registry,
                                                   const tci_code_section *section,
                                                   tc_error *err);
TC_MUST_CHECK tc_status tci_standing_check_bytes(tc_ifunc *fn, const tci_registry_code *code,
                                                 tc_error *err);
TC_MUST_CHECK tc_status tci_standing_judge_new(tc_ifunc *fn, const tci_registry_code *code,
                                               tc_error *err);
TC_MUST_CHECK tc_status tci_standing_judge_known(tc_ifunc *fn, const tci_registry_code *code,
                                                 tc_error *err);
TC_MUST_CHECK tc_status tci_standing_judge(tc_ifunc *fn, tc_error *err);
void tci_standing_judge_again(tc_ifunc *fn);
const uint8_t *tci_standing_content(tc_ifunc *fn);
TC_MUST_CHECK tc_status tci_standing_reload(tci_registry *registry, tc_error *err);

#endif
