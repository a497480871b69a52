/* Makes the public functions of a module that a build leaves out. */
#ifndef TCI_ABSENT_H
#define TCI_ABSENT_H

#include "core/module.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* A function whose last parameter is a tc_error: TC_E_UNSUPPORTED. */
#define TCI_ABSENT(module, name, ...)                                                          \
    tc_status name(__VA_ARGS__, tc_error *err)                                                 \
    {                                                                                          \
        return tci_module_absent(#name, module, err);                                          \
    }

/* Another function, which returns `value`. */
#define TCI_ABSENT_VALUE(value, type, name, ...)                                               \
    type name(__VA_ARGS__)                                                                     \
    {                                                                                          \
        return value;                                                                          \
    }

#endif
