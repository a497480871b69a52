/* Products of 128 bits that are checked for overflow (__builtin_mul_overflow).
 *
 * For signed ones LLVM calls __muloti4 on some processors, which is in LLVM's own library and
 * in no shared one. */
#ifndef TCI_WIDE_MULTIPLY_H
#define TCI_WIDE_MULTIPLY_H

#include "engine/orc/llvm_compat.h"

#include <tc/status.h>

/* If the module has such products, gives it a function that computes them from unsigned ones,
 * and replaces the products by calls of it. TC_E_COMPILE. */
TC_MUST_CHECK tc_status tci_wide_multiply_define(LLVMModuleRef module, tc_error *err);

#endif
