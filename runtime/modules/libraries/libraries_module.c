/* The module libraries: libraries that travel, packages, and the functions of them that shipped
 * code may call. */
#include "modules/libraries/library_calls.h"
#include "core/core.h"
#include "core/module.h"
#include "modules/libraries/libraries.h"

#include <tc/library.h>

static const tci_libraries_ops ops = {.main = tci_library_calls_main,
                                      .is_leaving = tci_libraries_is_leaving,
                                      .drop = tci_libraries_drop,
                                      .end = tci_libraries_end};

static const tci_host_symbol symbols[] = {
    TCI_HOST_SYMBOL(tc_library_older),      TCI_HOST_SYMBOL(tc_library_symbol),
    TCI_HOST_SYMBOL(tc_library_list_sized), TCI_HOST_SYMBOL(tc_library_push),
    TCI_HOST_SYMBOL(tc_library_withdraw),
};

static tc_status attach(tci_registry *registry, const struct tc_options *options, tc_error *err)
{
    (void)options;
    return tci_module_take((const void **)&registry->libraries, &ops, "libraries", err);
}

static void turn(tci_core *core)
{
    tci_libraries_collect(&core->registry);
}

const tci_module tci_libraries_module = {.name = "libraries",
                                         .attach_registry = attach,
                                         .turn = turn,
                                         .symbols = symbols,
                                         .symbol_count = sizeof symbols / sizeof symbols[0]};
