/* The bytes that represent a function's code at a peer: the archive as it was opened, or, if
 * the peer lacks the dictionary that compressed it, the same content without a dictionary. */
#ifndef TCI_CODE_FORM_H
#define TCI_CODE_FORM_H

#include "ifunc/registry.h"

/* A code section as it travels, owned by the function. */
typedef struct tci_code_form {
    const uint8_t *bytes;
    size_t size;           /* of section, archive and deps */
    size_t signature_size; /* behind them; 0: unsigned */
} tci_code_form;

/* Chooses the form for a peer. `dictionaries` has bit i set when the peer has the dictionary of
 * index i. The other form is made once per function, which takes some milliseconds.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_form_for(tc_ifunc *fn, uint32_t dictionaries,
                                          tci_code_form *form_out);

/* Returns the function that has code with this id, in its own or in another form that it was
 * sent in. NULL: no function has. */
tc_ifunc *tci_code_form_find(tci_registry *registry, const tci_content_id *id,
                             tci_code_form *form_out);

#endif
