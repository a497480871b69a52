/* Binding code anew that is loaded already, when a name has come to mean another library.
 *
 * An image keeps the addresses of what it imports in words of eight bytes, which are filled in again
 * where they are: its code, its variables and its entries stay. So what uses libraries that came by
 * messages is compiled to an image, but where debuggers are to see it: an object has no such words that
 * anybody knows, and is loaded again, without its variables. */
#ifndef TCI_CODE_REBIND_H
#define TCI_CODE_REBIND_H

#include "engine/code_unit.h"

/* `source` is what the unit was loaded from. No code of it may be running. TC_E_AGAIN: it has to be
 * loaded again. Else a status of tci_symbols_create or of tci_image_loader_bind, and the unit is as
 * it was, which is then to be unloaded. */
TC_MUST_CHECK tc_status tci_code_rebind(const tci_load_source *source, tci_code_unit *unit,
                                        tc_error *err);

#endif
