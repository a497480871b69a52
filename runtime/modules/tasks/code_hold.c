#include "modules/tasks/code_hold.h"

#include "base/assertion.h"
#include "base/logger.h"
#include "ifunc/ifunc_load.h"

#include <stdlib.h>

typedef struct past_unit {
    struct past_unit *older; /* bound: one for each exchange of the code while messages wait */
    tci_code_unit *unit;
} past_unit;

typedef struct code_hold {
    tci_held_code head;
    size_t count; /* messages that wait */
    past_unit *past;
} code_hold;

static code_hold *of(const tc_ifunc *fn)
{
    return (code_hold *)(void *)fn->held;
}

static void keep(tc_ifunc *fn, tci_code_unit *unit)
{
    past_unit *past = malloc(sizeof *past);
    TCI_INVARIANT_IS(code_hold, of(fn)->count, >, 0);
    if (past == NULL) {
        TC_LOG(TC_LOG_ERROR, "%s: out of memory: its old code stays",
               tci_archive_name(fn->archive));
        return;
    }
    *past = (past_unit){of(fn)->past, unit};
    of(fn)->past = past;
}

tc_status tci_code_hold_take(tc_ifunc *fn)
{
    if (fn->held == NULL) {
        code_hold *hold = calloc(1, sizeof *hold);
        if (hold == NULL)
            return TC_E_NO_MEMORY;
        hold->head.keep = keep;
        fn->held = &hold->head;
        tci_registry_retain(fn);
    }
    of(fn)->count++;
    return TC_OK;
}

void tci_code_hold_release(tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    code_hold *hold = of(fn);
    TCI_INVARIANT_IS(code_hold, hold->count, >, 0);
    if (--hold->count > 0)
        return;
    for (past_unit *past = hold->past, *older; past != NULL; past = older) {
        older = past->older;
        registry->loading->unload(registry->engine, past->unit);
        free(past);
    }
    fn->held = NULL;
    free(hold);
    if (fn->unit != NULL && fn->library == NULL && registry->loading->is_old(fn->unit))
        tci_ifunc_load_rebind(fn);
    tci_registry_release(fn);
}
