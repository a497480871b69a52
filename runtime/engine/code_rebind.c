/* Looks up all names in new tci_symbols, which replace the unit's own only if all its code
 * could be bound to them. */
#include "code_rebind.h"

#include "base/error_text.h"
#include "code_unit_object.h"

/* Replaced code is bound as well: functions that its variables point to may still run. */
static tc_status bind_all(const tci_load_source *source, tci_code_unit *unit,
                          tci_symbols *symbols, tc_error *err)
{
    if (unit->image != NULL)
        return tci_image_loader_rebind_slice(unit->image, source->archive, unit->symbols,
                                             symbols, err);
    if (unit->shared != NULL) /* its .deps list does not bind it */
        return TC_OK;
    TC_TRY(tci_linked_code_rebind(unit->code.compiled, unit->symbols, symbols, err));
    return unit->state != NULL
               ? tci_linked_code_rebind(unit->state, unit->symbols, symbols, err)
               : TC_OK;
}

tc_status tci_code_rebind(const tci_load_source *source, tci_code_unit *unit, tc_error *err)
{
    tci_symbols *symbols;
    tc_status status =
        tci_symbols_create(source->deps, source->deps_size, &source->scope, &symbols, err);
    if (status == TC_OK) {
        status = bind_all(source, unit, symbols, err);
        status = tci_symbols_explain(symbols, status, err);
        tci_symbols_destroy(status == TC_OK ? unit->symbols : symbols);
    }
    if (status == TC_OK)
        unit->symbols = symbols;
    else if (status != TC_E_AGAIN)
        tci_error_prefix(err, "%s", tci_archive_name(source->archive));
    return status;
}
