#include "base/module_absent.h"

#include "base/error_text.h"

tc_status tci_module_absent(const char *wanted, const char *module, tc_error *err)
{
    return tci_error_set(err, TC_E_UNSUPPORTED,
                         "%s needs the module %s, which this build of the library left out: "
                         "configure it with -DTC_MODULES=\"...;%s\", or with all of them",
                         wanted, module, module);
}
