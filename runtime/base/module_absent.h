/* An optional part of the library that the build left out (core/module.h). */
#ifndef TCI_MODULE_ABSENT_H
#define TCI_MODULE_ABSENT_H

#include <tc/status.h>

/* Reports that `wanted`, an option or a call, needs a module that the build left out:
 * TC_E_UNSUPPORTED. */
tc_status tci_module_absent(const char *wanted, const char *module, tc_error *err);

#endif
