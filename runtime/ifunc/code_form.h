/* Which bytes stand for a function's code at a peer: the archive as it was opened, or, where
 * the peer lacks the dictionary that it is packed with, the same without. */
#ifndef TCI_CODE_FORM_H
#define TCI_CODE_FORM_H

#include "ifunc/registry.h"

/* A code section as it travels, owned by the function. */
typedef struct tci_code_form {
    const uint8_t *bytes;
    size_t size;           /* of section, archive and deps */
    size_t signature_size; /* behind them; 0: none */
} tci_code_form;

/* `dictionaries` has bit i set when the peer has the dictionary of index i. The plain form is
 * made once per function: some milliseconds. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_form_for(tc_ifunc *fn, uint32_t dictionaries,
                                          tci_code_form *form_out);

/* The code that has this id, and whose it is: a function's own, or the plain form that one was
 * sent as. NULL: nobody's. */
tc_ifunc *tci_code_form_find(tci_registry *registry, const tci_content_id *id,
                             tci_code_form *form_out);

#endif
