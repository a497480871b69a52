/* Code that comes with a message, in a world: the code of its image is the name of a function,
 * with its terminator. */
#ifndef SIM_INJECTOR_H
#define SIM_INJECTOR_H

#include "engine/loading.h"

tc_status sim_injector_create(tci_engine_handle *handle, const tci_symbol_scope *scope,
                              tci_injector **injector_out, tc_error *err);
void sim_injector_ignore(tci_injector *injector);
/* As tci_injector_place. TC_E_UNRESOLVED: the code is no name that tc_sim_function bound. */
tc_status sim_injector_place(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                             size_t rest_size, void (**main_out)(void *, size_t, void *),
                             tc_error *err);

#endif
