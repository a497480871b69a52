#include "context/modules.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "core/limits.h"
#include "core/module.h"
#include "core/network_ops.h"
#include "ifunc/trust_ops.h"

#include TCI_MODULES_FILE /* of CMake: TCI_MODULES_BUILT(X) is X(name) for each module */

#define DECLARED(name) extern const tci_module tci_##name##_module;
#define LISTED(name) &tci_##name##_module,

TCI_MODULES_BUILT(DECLARED)
static const tci_module *const built[] = {TCI_MODULES_BUILT(LISTED) NULL};

#define MODULES (sizeof built / sizeof built[0] - 1)

tc_status tci_modules_attach_registry(tci_registry *registry, const struct tc_options *options,
                                      tc_error *err)
{
    for (size_t i = 0; built[i] != NULL; i++) {
        if (built[i]->attach_registry != NULL)
            TC_TRY(built[i]->attach_registry(registry, options, err));
    }
    const char *wanted = registry->trust == NULL ? tci_trust_wanted(options) : NULL;
    return wanted != NULL ? tci_module_absent(wanted, "trust", err) : TC_OK;
}

void tci_modules_detach_registry(tci_registry *registry)
{
    for (size_t i = MODULES; i-- > 0;) {
        if (built[i]->detach_registry != NULL)
            built[i]->detach_registry(registry);
    }
}

tc_status tci_modules_attach(tci_core *core, tc_error *err)
{
    TC_TRY(tci_modules_attach_registry(&core->registry, &core->options, err));
    for (size_t i = 0; built[i] != NULL; i++) {
        if (built[i]->attach != NULL)
            TC_TRY(built[i]->attach(core, err));
    }
    const char *wanted = core->limits == NULL ? tci_limits_wanted(&core->options) : NULL;
    if (wanted != NULL)
        return tci_module_absent(wanted, "limits", err);
#ifndef TCI_WITHOUT_USAGE
    if (core->options.usage != TCI_USAGE_OFF && core->usage == NULL)
        return tci_module_absent("option usage", "usage", err);
#endif
    wanted = core->network == NULL ? tci_network_wanted(&core->options) : NULL;
    return wanted != NULL ? tci_module_absent(wanted, "ucx", err) : TC_OK;
}

void tci_modules_detach(tci_core *core)
{
    for (size_t i = MODULES; i-- > 0;) {
        if (built[i]->detach != NULL)
            built[i]->detach(core);
    }
    tci_modules_detach_registry(&core->registry);
}

void tci_modules_turn(tci_core *core)
{
    for (size_t i = 0; built[i] != NULL; i++) {
        if (built[i]->turn != NULL)
            built[i]->turn(core);
    }
}

void tci_modules_service(tci_core *core, uint64_t now_ns)
{
    for (size_t i = 0; built[i] != NULL; i++) {
        if (built[i]->service != NULL)
            built[i]->service(core, now_ns);
    }
}

void tci_modules_ucx_version(unsigned *major_out, unsigned *minor_out, unsigned *patch_out)
{
    *major_out = *minor_out = *patch_out = 0;
    for (size_t i = 0; built[i] != NULL; i++) {
        if (built[i]->ucx_version != NULL)
            built[i]->ucx_version(major_out, minor_out, patch_out);
    }
}

size_t tci_modules_symbols(tci_host_symbol *symbols_out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; built[i] != NULL; i++) {
        TCI_INVARIANT_IS(module_symbols, built[i]->symbol_count, <=, max - count);
        if (built[i]->symbol_count > 0)
            memcpy(symbols_out + count, built[i]->symbols,
                   built[i]->symbol_count * sizeof *symbols_out);
        count += built[i]->symbol_count;
    }
    return count;
}
