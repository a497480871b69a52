/* The module windows. */
#include "base/error_text.h"
#include "core/module.h"
#include "modules/windows/windows.h"

#include <stdlib.h>

static const char name[] = "windows";

static tc_status attach(tci_core *core, tc_error *err)
{
    tci_windows *windows = calloc(1, sizeof *windows);
    if (windows == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "windows: out of memory");
    windows->made_by = name;
    tc_status status = tci_module_take((const void **)&core->windows, windows, name, err);
    if (status != TC_OK)
        free(windows);
    return status;
}

static void detach(tci_core *core)
{
    if (core->windows == NULL || core->windows->made_by != name)
        return;
    tci_windows_fini(core->windows);
    free(core->windows);
    core->windows = NULL;
}

static const tci_host_symbol symbols[] = {
    TCI_HOST_SYMBOL(tc_window_chain_sized), TCI_HOST_SYMBOL(tc_window_chain_start_sized),
    TCI_HOST_SYMBOL(tc_window_memory),      TCI_HOST_SYMBOL(tc_window_map),
    TCI_HOST_SYMBOL(tc_window_unmap),
};

const tci_module tci_windows_module = {.name = name,
                                       .attach = attach,
                                       .detach = detach,
                                       .symbols = symbols,
                                       .symbol_count = sizeof symbols / sizeof symbols[0]};
