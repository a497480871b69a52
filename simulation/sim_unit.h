/* Code of a world's engine: the C function that an archive's name stands for, bound to the
 * libraries that its list names. A library has no function of its own: the address of an
 * exported function is that of the C function of its name, and the address of exported data is
 * that of the archive's first slice, so that each content has other data. */
#ifndef SIM_UNIT_H
#define SIM_UNIT_H

#include "engine/loading.h"

/* Does in advance the work that lasts for the process, and is no node's. Outside of nodes. */
void sim_unit_prepare(void);

/* TC_E_UNRESOLVED: no function of its name. Otherwise as tci_symbols_create. */
TC_MUST_CHECK tc_status sim_unit_make(const tci_load_source *source, tci_code_unit **unit_out,
                                      tc_error *err);
/* Binds it to the libraries that are in force now, or leaves it as it is. */
TC_MUST_CHECK tc_status sim_unit_rebind(const tci_load_source *source, tci_code_unit *unit,
                                        tc_error *err);
void sim_unit_free(tci_code_unit *unit);

const tci_entries *sim_unit_entries(const tci_code_unit *unit);
bool sim_unit_is_old(const tci_code_unit *unit);

/* Inside a function: the address of a symbol of the libraries that it is bound to, or NULL. */
void *sim_unit_symbol(const char *symbol);

/* By the linker, instead of tci_code_unit_table. */
void *const *__wrap_tci_code_unit_table(const tci_code_unit *unit);

#endif
