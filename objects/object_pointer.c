#include "object_pointer.h"

#include "base/error_text.h"

tc_status tco_pointer_check(tc_gptr object, uint32_t ranks, tc_error *err)
{
    if (object.window != TCO_WINDOW || object.generation != TCO_GENERATION)
        return tci_error_set(err, TC_E_INVALID,
                             "no pointer to an object: window %u, generation %u, expected %u "
                             "and %u",
                             object.window, object.generation, TCO_WINDOW, TCO_GENERATION);
    if (object.rank >= ranks)
        return tci_error_set(err, TC_E_INVALID,
                             "an object of rank %u, expected a rank below %u", object.rank,
                             ranks);
    if (tco_pointer_use(object) == 0)
        return tci_error_set(err, TC_E_INVALID, "an object of use 0, expected 1 or more");
    return TC_OK;
}
