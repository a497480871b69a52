/* Binds loaded code again when a name has come to mean another library.
 *
 * An image keeps the addresses of its imports in words of eight bytes. They are filled in again
 * in their locations, so its code, its variables and its entries stay. Code that uses libraries
 * received by messages is therefore compiled to an image, unless debuggers are to see it: the
 * words of an object are not known, so it is loaded again, without its variables. */
#ifndef TCI_CODE_REBIND_H
#define TCI_CODE_REBIND_H

#include "engine/code_unit.h"

/* `source` is the source that the unit was loaded from. No code of the unit may be running.
 * TC_E_AGAIN: it has to be loaded again. Other failures are those of tci_symbols_create and
 * tci_image_loader_rebind; the unit then keeps its symbols and has to be unloaded. */
TC_MUST_CHECK tc_status tci_code_rebind(const tci_load_source *source, tci_code_unit *unit,
                                        tc_error *err);

#endif
