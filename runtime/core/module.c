#include "core/module.h"

#include "base/error_text.h"

tc_status tci_module_take(const void **member, const void *table, const char *name,
                          tc_error *err)
{
    if (*member != NULL && *member != table)
        return tci_error_set(err, TC_E_INVALID,
                             "module %s: another module has taken its table of operations",
                             name);
    *member = table;
    return TC_OK;
}
