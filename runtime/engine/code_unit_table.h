/* The table of addresses that a library gives: by its main, or from its shared object. */
#ifndef TCI_CODE_UNIT_TABLE_H
#define TCI_CODE_UNIT_TABLE_H

#include "engine/code_unit.h"

/* Returns the addresses of NAME_init, NAME_fini, then the exports in the archive's order; valid
 * as long as the unit. */
void *const *tci_code_unit_table(const tci_code_unit *unit);

/* Opens the shared object of a plan TCI_LOAD_SHARED. TC_E_UNSUPPORTED: the option symbols is
 * set, and no rule could judge the symbols that the object binds. Otherwise as
 * tci_shared_library_open. */
TC_MUST_CHECK tc_status tci_code_unit_table_open(const tci_load_source *source,
                                                 const tci_load_plan *plan, tci_code_unit *unit,
                                                 tc_error *err);

#endif
