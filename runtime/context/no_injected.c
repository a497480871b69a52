/* The public function of the module injected in a build without it: it reports that it is
 * absent. */
#include "base/module_absent.h"
#include "transfer/send_error.h"

#include <tc/advanced.h>

tc_status tc_send_injected(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    tc_error error;
    (void)fn, (void)source_args, (void)size;
    return tci_send_error_keep(ep, tci_module_absent("tc_send_injected", "injected", &error),
                               &error);
}
