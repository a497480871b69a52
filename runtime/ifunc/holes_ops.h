/* The socket of the module holes (core/module.h): functions that have the code of another one,
 * and values for its holes. Without the module filled archives are refused as those of a newer
 * format, and code with holes as an image of one. */
#ifndef TCI_HOLES_OPS_H
#define TCI_HOLES_OPS_H

#include "ifunc/registry.h"

typedef struct tci_holes_ops {
    /* Does tci_archive_open with the function's bytes. A filled archive also holds the function
     * of its code; TC_E_ABSENT: that is not here. */
    tc_status (*open)(tc_ifunc *fn, tc_error *err);
    /* Closes the archive of a filled function, and lets its code's function go. */
    void (*forget)(tc_ifunc *fn);
    /* Returns why a function with `unfilled` cannot be sent: TC_E_INVALID. */
    tc_status (*refuse)(const tc_ifunc *fn, tc_error *err);
    /* Returns whether a filled function of this code was announced to the peer. */
    bool (*is_announced)(const tc_ep *ep, const tc_ifunc *fn);
    /* tci_slot_find_code, which has the code asked for first that a filled archive names. */
    tc_status (*find_code)(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                           const tci_code_section *section, tc_ifunc **fn_out, tc_error *err);
    /* Returns the function of the code that a filled one has. */
    tc_ifunc *(*code_of)(const tc_ifunc *fn);
} tci_holes_ops;

#endif
