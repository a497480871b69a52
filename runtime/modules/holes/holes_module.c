/* The module holes: gives each registry its operations. */
#include "base/error_text.h"
#include "core/core.h"
#include "core/module.h"
#include "modules/holes/code_wait.h"
#include "modules/holes/filled.h"

#include <stdlib.h>
#include <tc/abi.h>

static const tci_holes_ops ops = {.open = tci_filled_open,
                                  .forget = tci_filled_forget,
                                  .refuse = tci_filled_refuse,
                                  .is_announced = tci_filled_is_announced,
                                  .find_code = tci_code_wait_find,
                                  .code_of = tci_filled_code_of};

static tc_status attach(tci_registry *registry, const struct tc_options *options, tc_error *err)
{
    (void)options;
    tci_holes *holes = calloc(1, sizeof *holes);
    if (holes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "holes: out of memory");
    holes->ops = ops;
    tc_status status = tci_module_take((const void **)&registry->holes, holes, "holes", err);
    if (status != TC_OK)
        free(holes);
    return status;
}

static void detach(tci_registry *registry)
{
    if (registry->holes == NULL || registry->holes->open != tci_filled_open)
        return;
    free(tci_filled_state(registry));
    registry->holes = NULL;
}

static const tci_host_symbol symbols[] = {
    TCI_HOST_SYMBOL(tc_ifunc_fill_sized),
    TCI_HOST_SYMBOL(tc_ifunc_holes_sized),
};

const tci_module tci_holes_module = {.name = "holes",
                                     .attach_registry = attach,
                                     .detach_registry = detach,
                                     .symbols = symbols,
                                     .symbol_count = sizeof symbols / sizeof symbols[0]};
