/* Compares the prototypes of typed callers with those of functions. */
#include "prototype.h"

#include "base/error_text.h"
#include "ifunc/registry.h"

#include <tc/ifunc.h>

const char *tc_ifunc_prototype(const tc_ifunc *fn)
{
    return tci_archive_prototype(fn->archive);
}

static tc_status compare(const tc_ifunc *fn, const char *prototype, tc_error *err)
{
    const char *own = tc_ifunc_prototype(fn), *name = tci_archive_name(fn->archive);
    TC_TRY(tci_prototype_check(prototype, TC_E_INVALID, err));
    if (own == NULL)
        return TC_OK;
    tc_status status = tci_prototype_check(own, TC_E_CORRUPT, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "function '%s'", name);
        return status;
    }
    if (tci_prototype_agrees(prototype, own))
        return TC_OK;
    return tci_error_set(err, TC_E_VERSION,
                         "function '%s' is called as '%.160s', and it is '%.160s'", name,
                         prototype, own);
}

tc_status tc_ifunc_check_prototype(tc_ifunc *fn, const char *prototype, tc_error *err)
{
    if (prototype != NULL && fn->agreed == prototype)
        return TC_OK;
    if (prototype == NULL)
        return tci_error_set(err, TC_E_INVALID, "no prototype was given");
    TC_TRY(compare(fn, prototype, err));
    fn->agreed = prototype;
    return TC_OK;
}
