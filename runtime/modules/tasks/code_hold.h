/* Keeps the code of functions in which messages wait: ifunc/held_code.h. */
#ifndef TCI_CODE_HOLD_H
#define TCI_CODE_HOLD_H

#include "ifunc/held_code.h"

/* A message of the function has begun to wait: the function stays open, too. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_code_hold_take(tc_ifunc *fn);
/* Ends the hold of such a message. The last one frees code that was replaced meanwhile, and
 * binds the function to the libraries that are in force now. No function may be running. */
void tci_code_hold_release(tc_ifunc *fn);

#endif
