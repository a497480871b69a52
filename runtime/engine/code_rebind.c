#include "code_rebind.h"

#include "base/error_text.h"
#include "code_unit_object.h"

tc_status tci_code_rebind(const tci_load_source *source, tci_code_unit *unit, tc_error *err)
{
    tci_symbols *symbols;
    if (unit->image == NULL)
        return TC_E_AGAIN;
    tc_status status = tci_symbols_create(source->deps, source->deps_size, &source->scope,
                                          &symbols, err);
    if (status == TC_OK) {
        status = tci_image_loader_rebind(unit->image, source->archive, unit->symbols, symbols, err);
        tci_symbols_explain(symbols, status, err);
        tci_symbols_destroy(status == TC_OK ? unit->symbols : symbols);
    }
    if (status == TC_OK)
        unit->symbols = symbols;
    else if (status != TC_E_AGAIN)
        tci_error_prefix(err, "%s", tci_archive_name(source->archive));
    return status;
}
