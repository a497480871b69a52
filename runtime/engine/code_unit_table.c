#include "code_unit_table.h"

#include "base/error_text.h"
#include "code_unit_object.h"

void *const *tci_code_unit_table(const tci_code_unit *unit)
{
    void *table = NULL;
    if (unit->shared != NULL)
        return tci_shared_library_table(unit->shared);
    unit->code.entries.main(&table, sizeof table, NULL);
    return table;
}

tc_status tci_code_unit_table_open(const tci_load_source *source, const tci_load_plan *plan,
                                   tci_code_unit *unit, tc_error *err)
{
    if (source->scope.policy != NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "it is a shared object, which the option symbols forbids: no rule "
                             "could say what it may bind");
    TC_TRY(tci_shared_library_open(source->archive, plan->slice, &unit->shared, err));
    unit->code.path = TC_LOAD_IMAGE;
    unit->code.has_state = true;
    unit->code.memory = tci_shared_library_memory(unit->shared);
    return TC_OK;
}
